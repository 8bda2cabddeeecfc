"""Joins through a program over the columns of one table that makes the key of the other."""

from lakeview.join.transform.auto_join import Plans, auto_join
from lakeview.join.transform.plan import TransformPlan

__all__ = ["Plans", "TransformPlan", "auto_join"]
