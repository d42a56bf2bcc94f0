# SPDX-License-Identifier: Apache-2.0
"""Columns: lists of messages, field by field, read where they lie. Needs NumPy."""

from .builder import Ragged as Ragged
from .column import AnyColumn as AnyColumn
from .column import Column as Column
from .column import Group as Group
from .column import RepeatedColumn as RepeatedColumn
from .column import RepeatedGroup as RepeatedGroup
from .column import RepeatedTextColumn as RepeatedTextColumn
from .column import TextColumn as TextColumn
from .columns import Columns as Columns
from .columns_fields import ColumnsField as ColumnsField
from .columns_fields import ColumnsFields as ColumnsFields
from .columns_fields import Container as Container
from .node import Node as Node
from .writer import Prepared as Prepared
