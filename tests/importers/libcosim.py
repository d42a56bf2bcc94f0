# SPDX-License-Identifier: Apache-2.0
"""Source and sensor under libcosim, a second importer of FMUs, in an environment of its own.

    python libcosim.py SOURCE.fmu SENSOR.fmu

Prints, for the last step, what the official OSI classes read in both messages: moving objects and
reflections of the view, detections of the sensor data.
"""

import ctypes
import sys
import tempfile
from pathlib import Path

from libcosimpy.CosimExecution import CosimExecution
from libcosimpy.CosimLogging import CosimLogLevel, log_output_level
from libcosimpy.CosimObserver import CosimObserver
from osi3.osi_sensordata_pb2 import SensorData
from osi3.osi_sensorview_pb2 import SensorView

PARTS = ("base.lo", "base.hi", "size")
VIEW_OUT, DATA_OUT = (0, 1, 2), (3, 4, 5)
"""References of those parts, as OSMP's examples number them."""


def system(source: Path, sensor: Path) -> str:
    """Return the structure of the simulated system: the view's parts go from source to sensor."""
    connections = "".join(
        f"""<VariableConnection>
             <Variable simulator="source" name="OSMPSensorViewOut.{part}"/>
             <Variable simulator="sensor" name="OSMPSensorViewIn.{part}"/>
           </VariableConnection>"""
        for part in PARTS
    )
    return f'''<?xml version="1.0" encoding="UTF-8"?>
        <OspSystemStructure xmlns="http://opensimulationplatform.com/MSMI/OSPSystemStructure"
                            version="0.1">
          <BaseStepSize>0.02</BaseStepSize><Algorithm>fixedStep</Algorithm>
          <Simulators>
            <Simulator name="source" source="{source.resolve()}" stepSize="0.02"/>
            <Simulator name="sensor" source="{sensor.resolve()}" stepSize="0.02"/>
          </Simulators>
          <Connections>{connections}</Connections>
        </OspSystemStructure>'''


def message(observer: CosimObserver, slave: int, references: tuple[int, ...]) -> bytes:
    low, high, size = observer.last_integer_values(slave, list(references))
    return ctypes.string_at((low & 0xFFFFFFFF) | (high & 0xFFFFFFFF) << 32, size)


def main() -> None:
    log_output_level(CosimLogLevel.WARNING)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "OspSystemStructure.xml"
        path.write_text(system(*map(Path, sys.argv[1:3])))
        execution = CosimExecution.from_osp_config_file(str(path))
    observer = CosimObserver.create_last_value()
    execution.add_observer(observer)
    if not execution.step(step_count=4):
        sys.exit("libcosim could not step")
    slaves = {name: execution.slave_index_from_instance_name(name) for name in ("source", "sensor")}
    view = SensorView.FromString(message(observer, slaves["source"], VIEW_OUT))
    data = SensorData.FromString(message(observer, slaves["sensor"], DATA_OUT))
    lidar = [len(lidar.reflection) for lidar in view.lidar_sensor_view]
    detections = [len(sensor.detection) for sensor in data.feature_data.lidar_sensor]
    print(len(view.global_ground_truth.moving_object), sum(lidar), sum(detections))


if __name__ == "__main__":
    main()
