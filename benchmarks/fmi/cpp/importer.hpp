// SPDX-License-Identifier: Apache-2.0
// An importer of FMI 2 and FMI 3 and nothing else: dlopen and calls. What it costs, any importer
// does.
#pragma once

#include <dlfcn.h>
#include <fmi2FunctionTypes.h>
#include <fmi3FunctionTypes.h>

#include <cstdarg>
#include <cstdio>
#include <stdexcept>
#include <string>

#include "fmi/cpp/model.hpp"

namespace wirecost::bench::fmi {

constexpr double step_size = 0.01;

/// A loaded library; it stays loaded, as the instances of both FMUs are of one.
class Library {
 public:
  explicit Library(const std::string& path) : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_) throw std::runtime_error(dlerror());
  }

  template <class Function>
  void find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(dlsym(handle_, name));
    if (!function) throw std::runtime_error(std::string("the FMU has no ") + name);
  }

 private:
  void* handle_;
};

/// What FMUs logged last: why a call failed.
inline std::string logged = "no reason was logged";

inline void fail(const char* call) { throw std::runtime_error(std::string(call) + ": " + logged); }
inline void check(int status, const char* call) {
  if (status > 1) fail(call);
}

#define WIRECOST_FUNCTION(name) name##TYPE* name##_ = nullptr
#define WIRECOST_FIND(name) library.find(name##_, #name)
#define WIRECOST_CALL(name, ...) check(name##_(instance_, __VA_ARGS__), #name)

class Fmi2 {
 public:
  Fmi2(const Library& library, const std::string& token, bool) {
    WIRECOST_FIND(fmi2Instantiate), WIRECOST_FIND(fmi2FreeInstance);
    WIRECOST_FIND(fmi2EnterInitializationMode), WIRECOST_FIND(fmi2ExitInitializationMode);
    WIRECOST_FIND(fmi2DoStep);
    WIRECOST_FIND(fmi2GetReal), WIRECOST_FIND(fmi2SetReal);
    WIRECOST_FIND(fmi2GetInteger), WIRECOST_FIND(fmi2SetInteger);
    WIRECOST_FIND(fmi2GetString), WIRECOST_FIND(fmi2SetString);
    instance_ =
        fmi2Instantiate_("exchange", fmi2CoSimulation, token.c_str(), "", &callbacks_, 0, 0);
    if (!instance_) fail("fmi2Instantiate");
    check(fmi2EnterInitializationMode_(instance_), "fmi2EnterInitializationMode");
  }
  ~Fmi2() { fmi2FreeInstance_(instance_); }

  void start() { check(fmi2ExitInitializationMode_(instance_), "fmi2ExitInitializationMode"); }
  void step() {
    WIRECOST_CALL(fmi2DoStep, time_, step_size, fmi2True);
    time_ += step_size;
  }

  using Vr = const fmi2ValueReference*;
  void get(Vr vr, std::size_t n, double* to) { WIRECOST_CALL(fmi2GetReal, vr, n, to); }
  void set(Vr vr, std::size_t n, const double* v) { WIRECOST_CALL(fmi2SetReal, vr, n, v); }
  void get(Vr vr, std::size_t n, std::int32_t* to) { WIRECOST_CALL(fmi2GetInteger, vr, n, to); }
  void set(Vr vr, std::size_t n, const std::int32_t* v) { WIRECOST_CALL(fmi2SetInteger, vr, n, v); }
  void get(Vr vr, std::size_t n, const char** to) { WIRECOST_CALL(fmi2GetString, vr, n, to); }
  void set(Vr vr, std::size_t n, const char* const* v) { WIRECOST_CALL(fmi2SetString, vr, n, v); }

 private:
  static void log(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String format,
                  ...) {
    va_list values;
    va_start(values, format);
    char text[1024];
    std::vsnprintf(text, sizeof text, format, values);
    va_end(values);
    logged = text;
  }

  fmi2CallbackFunctions callbacks_{log, nullptr, nullptr, nullptr, nullptr};
  fmi2Component instance_ = nullptr;
  double time_ = 0;
  WIRECOST_FUNCTION(fmi2Instantiate);
  WIRECOST_FUNCTION(fmi2FreeInstance);
  WIRECOST_FUNCTION(fmi2EnterInitializationMode);
  WIRECOST_FUNCTION(fmi2ExitInitializationMode);
  WIRECOST_FUNCTION(fmi2DoStep);
  WIRECOST_FUNCTION(fmi2GetReal);
  WIRECOST_FUNCTION(fmi2SetReal);
  WIRECOST_FUNCTION(fmi2GetInteger);
  WIRECOST_FUNCTION(fmi2SetInteger);
  WIRECOST_FUNCTION(fmi2GetString);
  WIRECOST_FUNCTION(fmi2SetString);
};

class Fmi3 {
 public:
  Fmi3(const Library& library, const std::string& token, bool has_events) {
    WIRECOST_FIND(fmi3InstantiateCoSimulation), WIRECOST_FIND(fmi3FreeInstance);
    WIRECOST_FIND(fmi3EnterInitializationMode), WIRECOST_FIND(fmi3ExitInitializationMode);
    WIRECOST_FIND(fmi3EnterEventMode), WIRECOST_FIND(fmi3EnterStepMode);
    WIRECOST_FIND(fmi3UpdateDiscreteStates), WIRECOST_FIND(fmi3DoStep);
    WIRECOST_FIND(fmi3GetFloat64), WIRECOST_FIND(fmi3SetFloat64);
    WIRECOST_FIND(fmi3GetInt32), WIRECOST_FIND(fmi3SetInt32);
    WIRECOST_FIND(fmi3GetUInt64), WIRECOST_FIND(fmi3SetUInt64);
    WIRECOST_FIND(fmi3GetString), WIRECOST_FIND(fmi3SetString);
    WIRECOST_FIND(fmi3GetBinary), WIRECOST_FIND(fmi3SetBinary);
    WIRECOST_FIND(fmi3GetClock), WIRECOST_FIND(fmi3SetClock);
    instance_ = fmi3InstantiateCoSimulation_("exchange", token.c_str(), "", false, false,
                                             has_events, false, nullptr, 0, nullptr, log, nullptr);
    if (!instance_) fail("fmi3InstantiateCoSimulation");
    WIRECOST_CALL(fmi3EnterInitializationMode, false, 0, 0, false, 0);
    has_events_ = has_events;
  }
  ~Fmi3() { fmi3FreeInstance_(instance_); }

  void start() {
    check(fmi3ExitInitializationMode_(instance_), "fmi3ExitInitializationMode");
    if (has_events_) end_event();
  }
  /// Returns whether the FMU asks for an event.
  bool step() {
    bool event, terminate, early;
    double last;
    WIRECOST_CALL(fmi3DoStep, time_, step_size, true, &event, &terminate, &early, &last);
    time_ += step_size;
    return event;
  }
  void begin_event() { check(fmi3EnterEventMode_(instance_), "fmi3EnterEventMode"); }
  void end_event() {
    bool again, terminate, nominals, states, next;
    double time;
    WIRECOST_CALL(fmi3UpdateDiscreteStates, &again, &terminate, &nominals, &states, &next, &time);
    check(fmi3EnterStepMode_(instance_), "fmi3EnterStepMode");
  }

  using Vr = const fmi3ValueReference*;
  void get(Vr vr, std::size_t n, double* to) { WIRECOST_CALL(fmi3GetFloat64, vr, n, to, n); }
  void set(Vr vr, std::size_t n, const double* v) { WIRECOST_CALL(fmi3SetFloat64, vr, n, v, n); }
  void get_array(std::uint32_t vr, std::size_t n, double* to) {
    WIRECOST_CALL(fmi3GetFloat64, &vr, 1, to, n);
  }
  void set_array(std::uint32_t vr, std::size_t n, const double* v) {
    WIRECOST_CALL(fmi3SetFloat64, &vr, 1, v, n);
  }
  void get(Vr vr, std::size_t n, std::int32_t* to) { WIRECOST_CALL(fmi3GetInt32, vr, n, to, n); }
  void set(Vr vr, std::size_t n, const std::int32_t* v) {
    WIRECOST_CALL(fmi3SetInt32, vr, n, v, n);
  }
  void get(Vr vr, std::size_t n, std::uint64_t* to) { WIRECOST_CALL(fmi3GetUInt64, vr, n, to, n); }
  void set(Vr vr, std::size_t n, const std::uint64_t* v) {
    WIRECOST_CALL(fmi3SetUInt64, vr, n, v, n);
  }
  void get(Vr vr, std::size_t n, const char** to) { WIRECOST_CALL(fmi3GetString, vr, n, to, n); }
  void set(Vr vr, std::size_t n, const char* const* v) {
    WIRECOST_CALL(fmi3SetString, vr, n, v, n);
  }
  void get(Vr vr, std::size_t n, std::size_t* sizes, fmi3Binary* to) {
    WIRECOST_CALL(fmi3GetBinary, vr, n, sizes, to, n);
  }
  void set(Vr vr, std::size_t n, const std::size_t* sizes, const fmi3Binary* v) {
    WIRECOST_CALL(fmi3SetBinary, vr, n, sizes, v, n);
  }
  bool ticks(std::uint32_t clock) {
    bool value = false;
    WIRECOST_CALL(fmi3GetClock, &clock, 1, &value);
    return value;
  }
  void tick(std::uint32_t clock) {
    const bool value = true;
    WIRECOST_CALL(fmi3SetClock, &clock, 1, &value);
  }

 private:
  static void log(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String message) {
    logged = message;
  }

  fmi3Instance instance_ = nullptr;
  double time_ = 0;
  bool has_events_ = false;
  WIRECOST_FUNCTION(fmi3InstantiateCoSimulation);
  WIRECOST_FUNCTION(fmi3FreeInstance);
  WIRECOST_FUNCTION(fmi3EnterInitializationMode);
  WIRECOST_FUNCTION(fmi3ExitInitializationMode);
  WIRECOST_FUNCTION(fmi3EnterEventMode);
  WIRECOST_FUNCTION(fmi3EnterStepMode);
  WIRECOST_FUNCTION(fmi3UpdateDiscreteStates);
  WIRECOST_FUNCTION(fmi3DoStep);
  WIRECOST_FUNCTION(fmi3GetFloat64);
  WIRECOST_FUNCTION(fmi3SetFloat64);
  WIRECOST_FUNCTION(fmi3GetInt32);
  WIRECOST_FUNCTION(fmi3SetInt32);
  WIRECOST_FUNCTION(fmi3GetUInt64);
  WIRECOST_FUNCTION(fmi3SetUInt64);
  WIRECOST_FUNCTION(fmi3GetString);
  WIRECOST_FUNCTION(fmi3SetString);
  WIRECOST_FUNCTION(fmi3GetBinary);
  WIRECOST_FUNCTION(fmi3SetBinary);
  WIRECOST_FUNCTION(fmi3GetClock);
  WIRECOST_FUNCTION(fmi3SetClock);
};

#undef WIRECOST_FUNCTION
#undef WIRECOST_FIND
#undef WIRECOST_CALL

}  // namespace wirecost::bench::fmi
