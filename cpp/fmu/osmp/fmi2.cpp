// SPDX-License-Identifier: Apache-2.0
// The FMI 2.0 co-simulation interface of an instance.
#include <fmi2Functions.h>

#include <cstring>

#include "osmp/instance.hpp"

using wirecost::fmu::Instance;

namespace {

fmi2Status status(bool ok) { return ok ? fmi2OK : fmi2Error; }
Instance& instance(fmi2Component component) { return *static_cast<Instance*>(component); }

std::span<const std::uint32_t> references(const fmi2ValueReference* first, std::size_t count) {
  return {first, count};
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
      functions.logger(functions.componentEnvironment, instance_name.c_str(), fmi2Error, "OSMP",
                       "%s", message.c_str());
  };
  if (type != fmi2CoSimulation) return log("this FMU offers co-simulation only"), nullptr;
  if (!guid || std::strcmp(guid, wirecost::fmu::token) != 0)
    return log("the GUID is not that of modelDescription.xml"), nullptr;
  return new Instance(log);
}

void fmi2FreeInstance(fmi2Component component) {
  if (!component) return;
  instance(component).terminate();
  delete static_cast<Instance*>(component);
}

fmi2Status fmi2SetupExperiment(fmi2Component, fmi2Boolean, fmi2Real, fmi2Real, fmi2Boolean,
                               fmi2Real) {
  return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component) { return fmi2OK; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return status(instance(c).start()); }
fmi2Status fmi2Terminate(fmi2Component c) { return status(instance(c).terminate()); }
fmi2Status fmi2Reset(fmi2Component c) { return status(instance(c).reset()); }

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real step_size, fmi2Boolean) {
  return status(instance(c).step(time, step_size));
}

#define WIRECOST_ACCESS(Name, member, Value)                                                 \
  fmi2Status fmi2Get##Name(fmi2Component c, const fmi2ValueReference vr[], size_t n,         \
                           Value values[]) {                                                 \
    return status(instance(c).get(instance(c).variables.member, references(vr, n), values)); \
  }                                                                                          \
  fmi2Status fmi2Set##Name(fmi2Component c, const fmi2ValueReference vr[], size_t n,         \
                           const Value values[]) {                                           \
    return status(instance(c).set(instance(c).variables.member, references(vr, n), values)); \
  }
WIRECOST_ACCESS(Real, reals, fmi2Real)
WIRECOST_ACCESS(Integer, integers, fmi2Integer)
WIRECOST_ACCESS(Boolean, booleans, fmi2Boolean)
WIRECOST_ACCESS(String, strings, fmi2String)
#undef WIRECOST_ACCESS

}  // extern "C"
