// SPDX-License-Identifier: Apache-2.0
// The FMI 2.0 co-simulation interface of the model.
#include <fmi2Functions.h>

#include <exception>

#include "fmi/cpp/model.hpp"

using wirecost::bench::fmi::Model;

namespace {

/// Calls `access` on the model; what it throws is logged.
fmi2Status guarded(fmi2Component component, auto access) {
  Model& model = *static_cast<Model*>(component);
  try {
    return access(model) ? fmi2OK : fmi2Error;
  } catch (const std::exception& error) {
    model.fail(error.what());
    return fmi2Error;
  }
}

template <class T, class U>
fmi2Status get(fmi2Component component, const fmi2ValueReference* references, std::size_t count,
               U* values) {
  return guarded(component, [&](Model& model) {
    for (std::size_t at = 0; at < count; ++at) {
      T value;
      if (!model.get(references[at], value)) return false;
      values[at] = value;
    }
    return true;
  });
}

template <class T, class U>
fmi2Status set(fmi2Component component, const fmi2ValueReference* references, std::size_t count,
               const U* values) {
  return guarded(component, [&](Model& model) {
    for (std::size_t at = 0; at < count; ++at)
      if (!model.set(references[at], T(values[at]))) return false;
    return true;
  });
}

}  // namespace

extern "C" {

const char* fmi2GetTypesPlatform() { return fmi2TypesPlatform; }
const char* fmi2GetVersion() { return fmi2Version; }
fmi2Status fmi2SetDebugLogging(fmi2Component, fmi2Boolean, size_t, const fmi2String[]) {
  return fmi2OK;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean, fmi2Boolean) {
  const std::string instance_name = name ? name : "";
  const fmi2CallbackFunctions functions = callbacks ? *callbacks : fmi2CallbackFunctions{};
  const auto log = [=](const std::string& message) {
    if (functions.logger)
      functions.logger(functions.componentEnvironment, instance_name.c_str(), fmi2Error, "error",
                       "%s", message.c_str());
  };
  if (type != fmi2CoSimulation) return log("this FMU offers co-simulation only"), nullptr;
  try {
    return new Model(guid ? guid : "", log);
  } catch (const std::exception& error) {
    return log(error.what()), nullptr;
  }
}

void fmi2FreeInstance(fmi2Component component) { delete static_cast<Model*>(component); }
fmi2Status fmi2SetupExperiment(fmi2Component, fmi2Boolean, fmi2Real, fmi2Real, fmi2Boolean,
                               fmi2Real) {
  return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component) { return fmi2OK; }
fmi2Status fmi2ExitInitializationMode(fmi2Component component) {
  return guarded(component, [](Model& model) { return model.start(); });
}
fmi2Status fmi2Terminate(fmi2Component) { return fmi2OK; }
fmi2Status fmi2Reset(fmi2Component component) {
  return guarded(component, [](Model& model) { return model.reset(); });
}
fmi2Status fmi2DoStep(fmi2Component component, fmi2Real, fmi2Real, fmi2Boolean) {
  return guarded(component, [](Model& model) { return model.step(); });
}

#define WIRECOST_ACCESS(Name, T, Value)                                              \
  fmi2Status fmi2Get##Name(fmi2Component c, const fmi2ValueReference vr[], size_t n, \
                           Value values[]) {                                         \
    return get<T>(c, vr, n, values);                                                 \
  }                                                                                  \
  fmi2Status fmi2Set##Name(fmi2Component c, const fmi2ValueReference vr[], size_t n, \
                           const Value values[]) {                                   \
    return set<T>(c, vr, n, values);                                                 \
  }
WIRECOST_ACCESS(Real, double, fmi2Real)
WIRECOST_ACCESS(Integer, std::int32_t, fmi2Integer)
WIRECOST_ACCESS(String, const char*, fmi2String)
#undef WIRECOST_ACCESS

// No variable is a Boolean.
fmi2Status fmi2GetBoolean(fmi2Component, const fmi2ValueReference[], size_t n, fmi2Boolean[]) {
  return n ? fmi2Error : fmi2OK;
}
fmi2Status fmi2SetBoolean(fmi2Component, const fmi2ValueReference[], size_t n,
                          const fmi2Boolean[]) {
  return n ? fmi2Error : fmi2OK;
}

}  // extern "C"
