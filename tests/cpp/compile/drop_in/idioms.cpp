// SPDX-License-Identifier: Apache-2.0
// What real programs call of Protobuf's classes. Built with protoc's and with ours, it prints the
// same.
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "osi3/osi_groundtruth.pb.h"
#include "osi3/osi_sensordata.pb.h"
#include "osi3/osi_sensorview.pb.h"
#include "osi3/osi_version.pb.h"

namespace {

void say(const std::string& what, const std::string& bytes) {
  std::cout << what << ' ' << bytes.size() << ' ' << std::hex;
  for (const char c : bytes)
    std::cout << std::setw(2) << std::setfill('0') << (static_cast<unsigned>(c) & 0xFFU);
  std::cout << std::dec << '\n';
}

template <class Message>
void say(const std::string& what, const Message& message) {
  say(what, message.SerializeAsString());
  std::cout << message.DebugString() << message.ShortDebugString() << '\n';
}

void fill(osi3::MovingObject* object, int number) {
  object->mutable_id()->set_value(static_cast<google::protobuf::uint64>(number));
  object->set_type(osi3::MovingObject_Type_TYPE_VEHICLE);
  auto* position = object->mutable_base()->mutable_position();
  position->set_x(1.5 * number);
  position->set_y(-0.1);
  position->set_z(1e-300);
  object->mutable_base()->mutable_dimension()->set_length(4.5);
  object->mutable_vehicle_classification()->set_type(
      osi3::MovingObject::VehicleClassification::TYPE_MEDIUM_CAR);
  object->mutable_vehicle_classification()->mutable_light_state()->set_indicator_state(
      osi3::MovingObject_VehicleClassification_LightState_IndicatorState_INDICATOR_STATE_OFF);
  object->set_model_reference("a \"model\"\n\xC3\xA9");
}

osi3::GroundTruth ground_truth(int objects) {
  osi3::GroundTruth made;
  for (int i = 0; i < objects; ++i) fill(made.add_moving_object(), i);
  return made;
}

void versions() {
  osi3::SensorView view;
  view.mutable_version()->CopyFrom(
      osi3::InterfaceVersion::descriptor()->file()->options().GetExtension(
          osi3::current_interface_version));
  view.mutable_timestamp()->set_seconds(-1);
  view.mutable_timestamp()->set_nanos(999999999);
  say("version", view);
  std::cout << view.GetTypeName() << ' ' << osi3::SensorView::descriptor()->full_name() << ' '
            << osi3::SensorView::descriptor()->name() << '\n';
}

// Pointers from add_…() are kept over later calls, as esmini does with lanes.
void kept_pointers() {
  osi3::GroundTruth truth;
  std::vector<osi3::Lane*> lanes;
  for (int i = 0; i < 1000; ++i) {
    lanes.push_back(truth.add_lane());
    lanes.back()->mutable_id()->set_value(static_cast<google::protobuf::uint64>(i));
  }
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    lanes[i]->mutable_classification()->set_is_host_vehicle_lane(i % 2 == 0);
    lanes[i]->mutable_classification()->add_left_adjacent_lane_id()->set_value(
        lanes[i]->id().value() + 1);
  }
  truth.mutable_lane()->SwapElements(0, 999);
  std::cout << lanes[0]->id().value() << ' ' << (lanes[0] == &truth.lane(999)) << '\n';
  say("lanes", truth);
}

void repeated() {
  osi3::GroundTruth truth = ground_truth(7);
  for (int i = 0; i < truth.moving_object_size(); i++) {
    if (truth.moving_object(i).id().value() % 2 == 0)
      truth.mutable_moving_object(i)->mutable_base()->clear_position();
  }
  osi3::SensorData data;
  std::for_each(
      truth.moving_object().begin(), truth.moving_object().end(),
      [&](const osi3::MovingObject& object) {
        data.add_moving_object()->mutable_header()->add_ground_truth_id()->CopyFrom(object.id());
      });
  say("detected", data);
  auto* objects = truth.mutable_moving_object();
  fill(objects->Add(), 70);
  objects->RemoveLast();
  std::cout << objects->Add()->has_id() << '\n';
  objects->DeleteSubrange(1, 2);
  objects->SwapElements(0, 1);
  say("some", truth);
  std::cout << objects->at(0).id().value() << ' ' << objects->size() << ' ' << objects->empty()
            << ' ' << (objects->end() - objects->begin()) << '\n';
  for (int i = objects->size() - 1; i >= -1; --i) std::cout << i << ' ';
  std::sort(objects->begin(), objects->end(),
            [](const auto& a, const auto& b) { return a.id().value() > b.id().value(); });
  say("sorted", truth);
  const google::protobuf::RepeatedPtrField<osi3::MovingObject> copied = truth.moving_object();
  for (auto it = copied.rbegin(); it != copied.rend(); ++it) std::cout << it->id().value() << ' ';
  objects->erase(objects->begin(), objects->begin() + 2);
  objects->Reserve(100);
  objects->MergeFrom(copied);
  say("merged", truth);
  osi3::MovingObject* last = objects->ReleaseLast();
  auto* own = new osi3::MovingObject;
  fill(own, 123);
  objects->AddAllocated(own);
  own->mutable_id()->set_value(124);
  objects->AddAllocated(last);
  std::vector<osi3::MovingObject*> taken(2);
  objects->ExtractSubrange(0, 2, taken.data());
  for (osi3::MovingObject* one : taken) delete one;
  say("own", truth);
  objects->Clear();
  objects->CopyFrom(copied);
  for (auto& object : *objects) object.clear_base();
  say("cleared", truth);
  truth.clear_moving_object();
  std::cout << truth.ByteSizeLong() << '\n';
}

void numbers() {
  osi3::MovingObject object;
  auto* ids = object.mutable_moving_object_classification()->mutable_logical_lane_assignment();
  ids->Add()->set_s_position(1);
  osi3::ColorRGB color;
  color.set_red(0.1);
  color.set_green(1.0 / 3);
  color.set_blue(1e20);
  say("color", color);
  say("assigned", object);
  osi3::SensorView view;
  view.add_camera_sensor_view()->mutable_view_configuration()->add_channel_format(
      osi3::CameraSensorViewConfiguration_ChannelFormat_CHANNEL_FORMAT_RGB_U8_LIN);
  view.mutable_camera_sensor_view(0)->set_image_data(std::string("\0\1\xFF'\"\\?", 7));
  view.mutable_camera_sensor_view(0)->mutable_view_configuration()->add_channel_format(
      osi3::CameraSensorViewConfiguration::CHANNEL_FORMAT_BAYER_BGGR_U8_LIN);
  for (const int format : view.camera_sensor_view(0).view_configuration().channel_format())
    std::cout << format << ' ';
  say("camera", view);
}

void names() {
  using Type = osi3::MovingObject;
  std::cout << osi3::MovingObject_Type_Name(Type::TYPE_VEHICLE) << ' '
            << Type::Type_Name(Type::TYPE_ANIMAL) << ' ' << osi3::MovingObject_Type_IsValid(99)
            << ' ' << Type::Type_IsValid(2) << ' ' << Type::Type_MIN << ' ' << Type::Type_MAX << ' '
            << Type::Type_ARRAYSIZE << ' ' << osi3::MovingObject_Type_Type_MAX << ' '
            << Type::kBaseFieldNumber << ' ' << osi3::SensorView::kGlobalGroundTruthFieldNumber
            << '\n';
  Type::Type parsed{};
  std::cout << Type::Type_Parse("TYPE_PEDESTRIAN", &parsed) << ' ' << parsed << ' '
            << osi3::MovingObject_Type_Parse("none", &parsed) << '\n';
  switch (parsed) {
    case osi3::MovingObject_Type_TYPE_PEDESTRIAN: std::cout << "pedestrian\n"; break;
    default: std::cout << "other\n";
  }
}

void ownership() {
  osi3::GroundTruth truth;
  auto* id = new osi3::Identifier;
  truth.set_allocated_host_vehicle_id(id);
  id->set_value(5);  // still the one in there
  say("adopted", truth);
  osi3::Identifier* released = truth.release_host_vehicle_id();
  std::cout << released->value() << ' ' << truth.has_host_vehicle_id() << ' '
            << (truth.release_host_vehicle_id() == nullptr) << '\n';
  delete released;
  auto* conditions = new osi3::EnvironmentalConditions;
  truth.set_allocated_environmental_conditions(conditions);
  conditions->set_ambient_illumination(
      osi3::EnvironmentalConditions_AmbientIllumination_AMBIENT_ILLUMINATION_LEVEL1);
  truth.set_allocated_model_reference(new std::string("reference"));
  std::string* reference = truth.release_model_reference();
  std::cout << *reference << truth.has_model_reference() << '\n';
  delete reference;
}

void values() {
  const osi3::GroundTruth two = ground_truth(2);
  osi3::SensorView view;
  *view.mutable_global_ground_truth() = two;
  view.mutable_global_ground_truth()->MergeFrom(ground_truth(1));
  osi3::SensorView other;
  other.Swap(&view);
  std::swap(other, view);
  swap(other, view);
  osi3::SensorView moved = std::move(other);
  say("moved", moved);
  std::map<int, osi3::SensorView> by_number;
  by_number[3] = moved;
  std::optional<osi3::SensorView> perhaps = by_number[3];
  perhaps->Clear();
  std::cout << perhaps->ByteSizeLong() << ' ' << perhaps->IsInitialized() << '\n';
  std::vector<osi3::SensorView> many(3, moved);
  many.erase(many.begin());
  std::cout << (many[0].SerializeAsString() == moved.SerializeAsString()) << '\n';
  const google::protobuf::MessageLite& lite = moved;
  osi3::SensorView again;
  again.CheckTypeAndMergeFrom(lite);
  std::cout << lite.GetTypeName() << ' ' << again.ByteSizeLong() << '\n';
}

void arenas() {
  using google::protobuf::Arena;
  std::vector<char> memory(10'000);
  Arena arena(memory.data(), memory.size());
  for (int round = 0; round < 2; ++round) {
    auto* const truth = Arena::CreateMessage<osi3::GroundTruth>(&arena);
    *truth = ground_truth(3);
    std::cout << (truth->GetArena() == &arena) << '\n';
    say("in an arena", *truth);
    auto* const parsed = Arena::CreateMessage<osi3::GroundTruth>(&arena);
    parsed->ParseFromString(truth->SerializeAsString());
    parsed->mutable_moving_object()->RemoveLast();
    parsed->Swap(truth);
    osi3::GroundTruth taken = std::move(*truth);
    say("out of it", taken);
    say("left", *parsed);
    parsed->mutable_moving_object()->AddAllocated(new osi3::MovingObject);
    parsed->set_allocated_version(taken.release_version());
    say("given", *parsed);
    auto* const text = Arena::Create<std::string>(&arena, 100, 'x');
    std::cout << *text << (arena.SpaceUsed() > 100) << (arena.Reset() > 1000) << '\n';
  }
}

void bytes() {
  const osi3::GroundTruth truth = ground_truth(3);
  std::string text;
  truth.SerializeToString(&text);
  std::stringstream stream;
  std::cout << truth.SerializePartialToOstream(&stream) << '\n';
  osi3::GroundTruth parsed;
  std::cout << parsed.ParseFromIstream(&stream) << parsed.ParseFromString(text)
            << parsed.ParseFromArray(text.data(), static_cast<int>(text.size()))
            << parsed.MergeFromString(text) << parsed.ParseFromArray("\xFF", 1) << '\n';
  std::vector<char> array(truth.ByteSizeLong());
  std::cout << truth.SerializeToArray(array.data(), static_cast<int>(array.size()))
            << truth.SerializeToArray(array.data(), 3) << '\n';
  say("array", std::string(array.begin(), array.end()));
  // A field of a later version is kept: number 4000, a varint.
  const std::string later = text + "\x80\xFA\x01\x07";
  parsed.ParseFromString(later);
  say("later", parsed);
  parsed.DiscardUnknownFields();
  say("discarded", parsed);
}

}  // namespace

int main() {
  GOOGLE_PROTOBUF_VERIFY_VERSION;
  versions();
  kept_pointers();
  repeated();
  numbers();
  names();
  ownership();
  values();
  arenas();
  bytes();
  google::protobuf::ShutdownProtobufLibrary();
}
