// The curve of a fuzzy join: pairs against threshold, the expected precision under it, the threshold as a handle.

const CHART = { left: 58, right: 786, top: 18, base: 312, high: 340, low: 450 };

/** An element of the chart; as `h`, in SVG. */
function g(tag, attributes = {}, ...children) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== null && value !== undefined) element.setAttribute(name, value);
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

const path = points => points.map(([x, y], i) => `${i ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`).join(' ');
const whole = n => n.toLocaleString('en');
const short = n => (n >= 1e6 ? `${n / 1e6} million` : whole(n));

/** Where thresholds, counts and precisions stand. */
function scales({ curve, thresholds, precision }) {
  const from = Math.min(thresholds[0], ...curve.map(point => point.threshold));
  const to = Math.max(thresholds.at(-1), ...curve.map(point => point.threshold));
  const most = Math.max(10, ...curve.map(point => Math.max(point.high, point.out)));
  const least = Math.max(1, Math.min(most / 10, ...curve.map(point => point.low || point.pairs || 1)));
  const tens = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(most))];
  const worst = Math.min(0.5, ...precision.map(at => (at.length ? Math.floor(at[0] * 4) / 4 : 0.5)));
  const { left, right, top, base, high, low } = CHART;
  return {
    from, to, tens, worst,
    x: t => left + ((right - left) * (t - from)) / (to - from || 1),
    t: x => from + ((to - from) * (x - left)) / (right - left),
    y: n => base - ((base - top) * (Math.log10(Math.max(n, 10 ** tens[0])) - tens[0])) / (tens[1] - tens[0]),
    p: share => high + ((low - high) * (1 - Math.max(share, worst))) / (1 - worst)
  };
}

/** Everything that does not move with the handle. */
function drawCurve(facts, unit, target, id) {
  const { curve, thresholds, precision } = facts;
  const at = scales(facts);
  const { left, right, top, base, high, low } = CHART;
  const parts = [g('defs', {}, g('pattern', { id, width: 8, height: 8, patternUnits: 'userSpaceOnUse', patternTransform: 'rotate(45)' }, g('line', { class: 'hatch', x1: 0, x2: 0, y1: 0, y2: 8 })))];
  const text = (x, y, words, more = {}) => parts.push(g('text', { x, y, ...more }, words));
  const line = (name, x1, y1, x2, y2) => parts.push(g('line', { class: name, x1, y1, x2, y2 }));
  if (curve.length) {
    for (let ten = at.tens[0]; ten <= at.tens[1]; ten++) {
      line('grid', left, at.y(10 ** ten), right, at.y(10 ** ten));
      text(left - 6, at.y(10 ** ten) + 4, short(10 ** ten), { 'text-anchor': 'end' });
    }
    const last = curve.filter(point => point.explodes).at(-1);
    if (last) {
      parts.push(g('rect', { x: left, y: top, width: Math.max(at.x(last.threshold) - left, 1), height: base - top, fill: `url(#${id})` }));
      line('zoneedge', at.x(last.threshold), top, at.x(last.threshold), base);
      text(left + 8, top + 14, '▲ row explosion', { class: 'warn' });
      text(left + 8, top + 28, 'over 10 × the rows if all pairs are kept');
    }
    const doubtful = curve.filter((point, i) => !point.exact || !(curve[i - 1]?.exact ?? true));
    if (doubtful.length) {
      const edge = (key, points) => points.map(point => [at.x(point.threshold), at.y(point[key])]);
      parts.push(g('path', { class: 'band', d: `${path(edge('high', doubtful))} ${path(edge('low', doubtful).reverse()).replace('M', 'L')}Z` }));
      text(at.x(doubtful[0].threshold) + 6, at.y(doubtful[0].low) + 16, '≈ estimated, 95 % band');
    }
    const points = curve.map(point => [at.x(point.threshold), at.y(point.pairs)]);
    const known = curve.findIndex(point => point.exact);
    if (known !== 0) parts.push(g('path', { class: 'line est', d: path(known < 0 ? points : points.slice(0, known + 1)) }));
    if (known >= 0) {
      parts.push(g('path', { class: 'line', d: path(points.slice(known)) }));
      text(right, points.at(-1)[1] + (points.at(-1)[1] > base - 24 ? -8 : 16), 'pairs, counted', { 'text-anchor': 'end' });
    }
    parts.push(g('path', { class: 'rows', d: path(curve.map(point => [at.x(point.threshold), at.y(point.out)])) }));
    text(right, at.y(curve.at(-1).out) - 8, 'rows out of a left join, all pairs kept', { 'text-anchor': 'end' });
  }
  line('axis', left, base, right, base);
  if (precision.length) {
    for (const share of [1, (1 + at.worst) / 2, at.worst]) {
      line('grid', left, at.p(share), right, at.p(share));
      text(left - 6, at.p(share) + 4, share.toFixed(2), { 'text-anchor': 'end' });
    }
    const known = precision.flatMap((values, i) => (values.length ? [[at.x(thresholds[i]), ...values.map(at.p)]] : []));
    parts.push(g('path', { class: 'band', d: `${path(known.map(([x, , , most]) => [x, most]))} ${path(known.map(([x, , least]) => [x, least]).reverse()).replace('M', 'L')}Z` }));
    parts.push(g('path', { class: 'line', d: path(known.map(([x, value]) => [x, value])) }));
    if (target) {
      line('target', left, at.p(target), right, at.p(target));
      text(right, at.p(target) + 14, `your target ${target.toFixed(2)}`, { class: 'oktext', 'text-anchor': 'end' });
    }
    text(left + 8, low - 6, '≈ expected precision of the best match, without labels');
  }
  const step = at.to > 1 ? Math.ceil(at.to / 10) : 0.1;
  for (let t = Math.ceil(at.from / step - 1e-9) * step; t <= at.to + 1e-9; t += step) {
    line('axis', at.x(t), low, at.x(t), low + 4);
    text(at.x(t), low + 16, at.to > 1 ? String(Math.round(t)) : t.toFixed(1), { 'text-anchor': 'middle' });
  }
  text((left + right) / 2, low + 32, `similarity threshold (${unit})`, { 'text-anchor': 'middle' });
  return { at, parts };
}

/** The pairs at a threshold, between two points of the curve as its logarithm goes; `about` where they are not counted there. */
function pairsAt(curve, threshold) {
  const next = curve.findIndex(point => point.threshold >= threshold - 1e-9);
  if (next < 0) return null;
  const after = curve[next];
  const before = curve[next - 1];
  if (Math.abs(after.threshold - threshold) < 1e-9 || !before) return { pairs: after.pairs, about: !after.exact };
  const part = (threshold - before.threshold) / (after.threshold - before.threshold);
  const log = Math.log(before.pairs + 1) * (1 - part) + Math.log(after.pairs + 1) * part;
  return { pairs: Math.round(Math.exp(log) - 1), about: before.pairs !== after.pairs };
}
