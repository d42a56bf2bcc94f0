# SPDX-License-Identifier: Apache-2.0
"""Point clouds in few bytes, for NumPy: ``wirecost.cloud``.

>>> import wirecost.cloud
>>> packed = wirecost.cloud.encode(points, error=0.001)  # x, y and z within 1 mm
>>> points = wirecost.cloud.decode(packed)
"""

from wirecost.data.clouds.packed import decode, encode

__all__ = ["decode", "encode"]
