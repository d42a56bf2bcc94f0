# SPDX-License-Identifier: Apache-2.0
"""Text of a schema in generated text: a module per language, a function per kind of place.

Names are no text: the frontends let nothing through that is no identifier. All else, comments,
names of files, texts as values, is FreeText or passes ``one_line``, and is printed by these
functions only. They take any text, and what they return is one comment or one literal, whatever
was in it: what stands behind it in the file means what it means without it.
"""
