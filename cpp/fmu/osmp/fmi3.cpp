// SPDX-License-Identifier: Apache-2.0
// The FMI 3.0 co-simulation interface of an instance.
#include <fmi3Functions.h>

#include <algorithm>
#include <cstring>

#include "osmp/instance.hpp"

using wirecost::Bytes;
using wirecost::fmu::Binary;
using wirecost::fmu::declaration;
using wirecost::fmu::fmi3_reference;
using wirecost::fmu::Instance;
using wirecost::fmu::Scalar;
using wirecost::fmu::Type;

namespace {

fmi3Status status(bool ok) { return ok ? fmi3OK : fmi3Error; }
Instance& instance(fmi3Instance i) { return *static_cast<Instance*>(i); }

/// The variable that carries an FMI 3 value reference, or null.
template <class Variable>
const Variable* find(std::span<const Variable> variables, fmi3ValueReference reference) {
  const auto found = std::ranges::find_if(
      variables, [&](const Variable& v) { return fmi3_reference(v, declaration) == reference; });
  return found == variables.end() ? nullptr : &*found;
}

/// Calls `access` with each FMI 2 reference behind the FMI 3 references of one type.
bool each(Instance& instance, Type type, const fmi3ValueReference* references, std::size_t count,
          auto access) {
  for (std::size_t i = 0; i < count; ++i) {
    const Scalar* scalar = find(declaration.scalars, references[i]);
    if (!scalar || scalar->type != type) return instance.refuse(references[i]);
    if (!access(std::span(&scalar->reference, 1), i)) return false;
  }
  return true;
}

}  // namespace

extern "C" {

const char* fmi3GetVersion() { return fmi3Version; }
fmi3Status fmi3SetDebugLogging(fmi3Instance, fmi3Boolean, size_t, const fmi3String[]) {
  return fmi3OK;
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String, fmi3String given, fmi3String, fmi3Boolean,
                                         fmi3Boolean, fmi3Boolean, fmi3Boolean,
                                         const fmi3ValueReference[], size_t,
                                         fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback callback,
                                         fmi3IntermediateUpdateCallback) {
  const auto log = [=](const std::string& message) {
    if (callback) callback(environment, fmi3Error, "OSMP", message.c_str());
  };
  if (!given || std::strcmp(given, wirecost::fmu::token) != 0)
    return log("the instantiation token is not that of modelDescription.xml"), nullptr;
  return new Instance(log);
}

void fmi3FreeInstance(fmi3Instance i) {
  if (!i) return;
  instance(i).terminate();
  delete static_cast<Instance*>(i);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance, fmi3Boolean, fmi3Float64, fmi3Float64,
                                       fmi3Boolean, fmi3Float64) {
  return fmi3OK;
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance i) { return status(instance(i).start()); }
fmi3Status fmi3Terminate(fmi3Instance i) { return status(instance(i).terminate()); }
fmi3Status fmi3Reset(fmi3Instance i) { return status(instance(i).reset()); }

fmi3Status fmi3DoStep(fmi3Instance i, fmi3Float64 time, fmi3Float64 step_size, fmi3Boolean,
                      fmi3Boolean* event, fmi3Boolean* terminate, fmi3Boolean* early,
                      fmi3Float64* last) {
  *event = *terminate = *early = fmi3False;
  *last = time + step_size;
  return status(instance(i).step(time, step_size));
}

#define WIRECOST_ACCESS(Name, kind, member, Value)                                          \
  fmi3Status fmi3Get##Name(fmi3Instance i, const fmi3ValueReference vr[], size_t n,         \
                           Value values[], size_t) {                                        \
    return status(each(instance(i), Type::kind, vr, n, [&](auto reference, std::size_t k) { \
      return instance(i).get(instance(i).variables.member, reference, &values[k]);          \
    }));                                                                                    \
  }                                                                                         \
  fmi3Status fmi3Set##Name(fmi3Instance i, const fmi3ValueReference vr[], size_t n,         \
                           const Value values[], size_t) {                                  \
    return status(each(instance(i), Type::kind, vr, n, [&](auto reference, std::size_t k) { \
      return instance(i).set(instance(i).variables.member, reference, &values[k]);          \
    }));                                                                                    \
  }
WIRECOST_ACCESS(Float64, real, reals, fmi3Float64)
WIRECOST_ACCESS(Int32, integer, integers, fmi3Int32)
WIRECOST_ACCESS(Boolean, boolean, booleans, fmi3Boolean)
WIRECOST_ACCESS(String, string, strings, fmi3String)
#undef WIRECOST_ACCESS

fmi3Status fmi3GetBinary(fmi3Instance i, const fmi3ValueReference vr[], size_t n, size_t sizes[],
                         fmi3Binary values[], size_t) {
  for (std::size_t k = 0; k < n; ++k) {
    const Binary* binary = find(declaration.binaries, vr[k]);
    if (!binary) return status(instance(i).refuse(vr[k]));
    const Bytes message = instance(i).variables.message(binary->reference);
    values[k] = reinterpret_cast<fmi3Binary>(message.data());
    sizes[k] = message.size();
  }
  return fmi3OK;
}

fmi3Status fmi3SetBinary(fmi3Instance i, const fmi3ValueReference vr[], size_t n,
                         const size_t sizes[], const fmi3Binary values[], size_t) {
  for (std::size_t k = 0; k < n; ++k) {
    const Binary* binary = find(declaration.binaries, vr[k]);
    if (!binary) return status(instance(i).refuse(vr[k]));
    if (!instance(i).set_binary(*binary, std::as_bytes(std::span(values[k], sizes[k]))))
      return fmi3Error;
  }
  return fmi3OK;
}

}  // extern "C"
