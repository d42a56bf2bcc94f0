# SPDX-License-Identifier: Apache-2.0
"""Point clouds: files of sensors' drivers, and ``wirecost.cloud``, which packs them.

>>> import wirecost.cloud
>>> packed = wirecost.cloud.encode(points, error=0.001)  # x, y and z within 1 mm
>>> points = wirecost.cloud.decode(packed)
"""

from wirecost.data.clouds.packed import decode, encode

__all__ = ["decode", "encode"]
