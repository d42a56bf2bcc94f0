# SPDX-License-Identifier: Apache-2.0
"""Messages for Cyclone DDS, under the names that ROS 2 gives them in DDS."""

# The package reads these annotations when a class is made: no `from __future__ import annotations`.

from dataclasses import dataclass, field

from cyclonedds.idl import IdlStruct
from cyclonedds.idl.annotations import final
from cyclonedds.idl.types import array, float64, int32, int64, sequence, uint8, uint32, uint64


def message(kind: type[IdlStruct]) -> type[IdlStruct]:
    return dataclass(final(kind))


@message
class Time(IdlStruct, typename="builtin_interfaces::msg::dds_::Time_"):
    sec: int32
    nanosec: uint32


@message
class Clock(IdlStruct, typename="rosgraph_msgs::msg::dds_::Clock_"):
    clock: Time


@message
class Header(IdlStruct, typename="std_msgs::msg::dds_::Header_"):
    stamp: Time
    frame_id: str


@message
class Numbers(IdlStruct, typename="geometry_msgs::msg::dds_::Transform_"):
    """Translation and rotation one after the other, which is the same on the wire."""

    values: array[float64, 7]


@message
class TransformStamped(IdlStruct, typename="geometry_msgs::msg::dds_::TransformStamped_"):
    header: Header
    child_frame_id: str
    transform: Numbers


@message
class TfMessage(IdlStruct, typename="tf2_msgs::msg::dds_::TFMessage_"):
    transforms: sequence[TransformStamped]


@message
class PointField(IdlStruct, typename="sensor_msgs::msg::dds_::PointField_"):
    name: str
    offset: uint32
    datatype: uint8
    count: uint32


@message
class PointCloud2(IdlStruct, typename="sensor_msgs::msg::dds_::PointCloud2_"):
    header: Header
    height: uint32
    width: uint32
    fields: sequence[PointField]
    is_bigendian: bool
    point_step: uint32
    row_step: uint32
    data: sequence[uint8]
    is_dense: bool


@message
class Image(IdlStruct, typename="sensor_msgs::msg::dds_::Image_"):
    header: Header
    height: uint32
    width: uint32
    encoding: str
    is_bigendian: uint8
    step: uint32
    data: sequence[uint8]


@message
class Dimension(IdlStruct, typename="std_msgs::msg::dds_::MultiArrayDimension_"):
    label: str
    size: uint32
    stride: uint32


@message
class Layout(IdlStruct, typename="std_msgs::msg::dds_::MultiArrayLayout_"):
    dim: sequence[Dimension]
    data_offset: uint32


@message
class UInt8MultiArray(IdlStruct, typename="std_msgs::msg::dds_::UInt8MultiArray_"):
    layout: Layout
    data: sequence[uint8]


@message
class TriggerRequest(IdlStruct, typename="std_srvs::srv::dds_::Trigger_Request_"):
    client: uint64
    call: int64
    empty: uint8


@message
class TriggerReply(IdlStruct, typename="std_srvs::srv::dds_::Trigger_Response_"):
    client: uint64
    call: int64
    success: bool
    message: str


@message
class ListRequest(IdlStruct, typename="rcl_interfaces::srv::dds_::ListParameters_Request_"):
    client: uint64
    call: int64
    prefixes: sequence[str]
    depth: uint64


@message
class ListReply(IdlStruct, typename="rcl_interfaces::srv::dds_::ListParameters_Response_"):
    client: uint64
    call: int64
    names: sequence[str]
    prefixes: sequence[str]


@message
class ParameterValue(IdlStruct, typename="rcl_interfaces::msg::dds_::ParameterValue_"):
    type: uint8
    bool_value: bool
    integer_value: int64
    double_value: float64
    string_value: str
    byte_array_value: sequence[uint8] = field(default_factory=list)
    bool_array_value: sequence[bool] = field(default_factory=list)
    integer_array_value: sequence[int64] = field(default_factory=list)
    double_array_value: sequence[float64] = field(default_factory=list)
    string_array_value: sequence[str] = field(default_factory=list)


@message
class GetRequest(IdlStruct, typename="rcl_interfaces::srv::dds_::GetParameters_Request_"):
    client: uint64
    call: int64
    names: sequence[str]


@message
class GetReply(IdlStruct, typename="rcl_interfaces::srv::dds_::GetParameters_Response_"):
    client: uint64
    call: int64
    values: sequence[ParameterValue]


@message
class Parameter(IdlStruct, typename="rcl_interfaces::msg::dds_::Parameter_"):
    name: str
    value: ParameterValue


@message
class SetRequest(IdlStruct, typename="rcl_interfaces::srv::dds_::SetParameters_Request_"):
    client: uint64
    call: int64
    parameters: sequence[Parameter]


@message
class SetResult(IdlStruct, typename="rcl_interfaces::msg::dds_::SetParametersResult_"):
    successful: bool
    reason: str


@message
class SetReply(IdlStruct, typename="rcl_interfaces::srv::dds_::SetParameters_Response_"):
    client: uint64
    call: int64
    results: sequence[SetResult]


@message
class Gid(IdlStruct, typename="rmw_dds_common::msg::dds_::Gid_"):
    data: array[uint8, 24]


@message
class NodeEntities(IdlStruct, typename="rmw_dds_common::msg::dds_::NodeEntitiesInfo_"):
    node_namespace: str
    node_name: str
    reader_gid_seq: sequence[Gid]
    writer_gid_seq: sequence[Gid]


@message
class ParticipantEntities(
    IdlStruct, typename="rmw_dds_common::msg::dds_::ParticipantEntitiesInfo_"
):
    gid: Gid
    node_entities_info_seq: sequence[NodeEntities]
