# SPDX-License-Identifier: Apache-2.0
"""OSI traces for NumPy, Polars and Arrow: their lists as columns.

>>> import wirecost.osi
>>> with wirecost.osi.open("drive.mcap") as frames:
...     for frame in frames:
...         reflections = frame.columns("lidar_sensor_view.reflection")
...         reflections.time_of_flight.values  # an array over all reflections
"""

from wirecost.data.osi.arrow import to_arrow, to_polars
from wirecost.data.osi.decode import Decoder
from wirecost.data.osi.frames import Frame, Frames, open

__all__ = ["Decoder", "Frame", "Frames", "open", "to_arrow", "to_polars"]
