"""Texts as sets of tokens, and the exact set-similarity join of two collections of them.

    tokens.py       text -> a set of tokens (words, q-grams)
    measures.py     Jaccard and its kin, as integer bounds that never round
    collection.py   many sets as one array, rarest token first
    prefix_join.py  all pairs at or above a threshold

Here and not under join/, because estimating a join's size needs the same exact counts.
"""
