# SPDX-License-Identifier: Apache-2.0
"""A camera: images at 30 Hz, each with a small one beside it, until Ctrl-C.

python camera_publish.py [TRANSPORT]
"""

import itertools
import sys
import time
from contextlib import suppress

import numpy as np
from PIL import Image, ImageDraw

import wirecost

with suppress(KeyboardInterrupt), wirecost.publish(*sys.argv[1:], "camera") as camera:
    for number in itertools.count():
        picture = Image.new("RGB", (640, 480))
        ImageDraw.Draw(picture).circle((number % 640, 240), 20, "orange")
        image, preview = np.asarray(picture), picture.resize((80, 60))
        camera.send({"image": image, "preview": preview, "t": time.time()})
        time.sleep(1 / 30)
