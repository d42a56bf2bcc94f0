// SPDX-License-Identifier: Apache-2.0
// The FMI 3.0 co-simulation interface of the model.
#include <fmi3Functions.h>

#include <exception>

#include "fmi/cpp/model.hpp"

namespace fmi = wirecost::bench::fmi;

namespace {

/// The model, and what only FMI 3 knows: events and the clock of a message.
struct Instance {
  fmi::Model model;
  bool has_events = false;
  bool ticks = false;
};

/// Calls `access` on the instance; what it throws is logged.
fmi3Status guarded(fmi3Instance given, auto access) {
  Instance& instance = *static_cast<Instance*>(given);
  try {
    return access(instance) ? fmi3OK : fmi3Error;
  } catch (const std::exception& error) {
    instance.model.fail(error.what());
    return fmi3Error;
  }
}

template <class T, class U>
fmi3Status get(fmi3Instance given, const fmi3ValueReference* references, std::size_t count,
               U* values) {
  return guarded(given, [&](Instance& instance) {
    for (std::size_t at = 0; at < count; ++at) {
      T value;
      if (!instance.model.get(references[at], value)) return false;
      values[at] = value;
    }
    return true;
  });
}

template <class T, class U>
fmi3Status set(fmi3Instance given, const fmi3ValueReference* references, std::size_t count,
               const U* values) {
  return guarded(given, [&](Instance& instance) {
    for (std::size_t at = 0; at < count; ++at)
      if (!instance.model.set(references[at], T(values[at]))) return false;
    return true;
  });
}

}  // namespace

extern "C" {

const char* fmi3GetVersion() { return fmi3Version; }
fmi3Status fmi3SetDebugLogging(fmi3Instance, fmi3Boolean, size_t, const fmi3String[]) {
  return fmi3OK;
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String, fmi3String token, fmi3String, fmi3Boolean,
                                         fmi3Boolean, fmi3Boolean has_events, fmi3Boolean,
                                         const fmi3ValueReference[], size_t,
                                         fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback callback,
                                         fmi3IntermediateUpdateCallback) {
  const auto log = [=](const std::string& message) {
    if (callback) callback(environment, fmi3Error, "error", message.c_str());
  };
  try {
    return new Instance{fmi::Model(token ? token : "", log), has_events};
  } catch (const std::exception& error) {
    return log(error.what()), nullptr;
  }
}

void fmi3FreeInstance(fmi3Instance given) { delete static_cast<Instance*>(given); }
fmi3Status fmi3EnterInitializationMode(fmi3Instance, fmi3Boolean, fmi3Float64, fmi3Float64,
                                       fmi3Boolean, fmi3Float64) {
  return fmi3OK;
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance given) {
  return guarded(given, [](Instance& instance) { return instance.model.start(); });
}
fmi3Status fmi3Terminate(fmi3Instance) { return fmi3OK; }
fmi3Status fmi3Reset(fmi3Instance given) {
  return guarded(given, [](Instance& instance) { return instance.model.reset(); });
}

fmi3Status fmi3DoStep(fmi3Instance given, fmi3Float64 time, fmi3Float64 step_size, fmi3Boolean,
                      fmi3Boolean* event, fmi3Boolean* terminate, fmi3Boolean* early,
                      fmi3Float64* last) {
  return guarded(given, [&](Instance& instance) {
    *terminate = *early = fmi3False;
    *last = time + step_size;
    const bool is_ok = instance.model.step();
    *event = instance.ticks = instance.has_events && instance.model.has_message();
    return is_ok;
  });
}

fmi3Status fmi3EnterEventMode(fmi3Instance) { return fmi3OK; }
fmi3Status fmi3EnterStepMode(fmi3Instance) { return fmi3OK; }
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance given, fmi3Boolean* again, fmi3Boolean* terminate,
                                    fmi3Boolean* nominals, fmi3Boolean* states, fmi3Boolean* next,
                                    fmi3Float64*) {
  static_cast<Instance*>(given)->ticks = false;
  *again = *terminate = *nominals = *states = *next = fmi3False;
  return fmi3OK;
}

fmi3Status fmi3GetClock(fmi3Instance given, const fmi3ValueReference vr[], size_t n,
                        fmi3Clock values[]) {
  return guarded(given, [&](Instance& instance) {
    for (std::size_t at = 0; at < n; ++at) {
      if (vr[at] != fmi::clock_out)
        return instance.model.fail("clock_out is the only clock to get");
      values[at] = instance.ticks;
    }
    return true;
  });
}

fmi3Status fmi3SetClock(fmi3Instance given, const fmi3ValueReference vr[], size_t n,
                        const fmi3Clock[]) {
  return guarded(given, [&](Instance& instance) {
    for (std::size_t at = 0; at < n; ++at)
      if (vr[at] != fmi::clock_in) return instance.model.fail("clock_in is the only clock to set");
    return true;
  });
}

fmi3Status fmi3GetFloat64(fmi3Instance given, const fmi3ValueReference vr[], size_t n,
                          fmi3Float64 values[], size_t count) {
  if (n == 1 && vr[0] == fmi::array_out)
    return guarded(given, [&](Instance& i) { return i.model.get_array(values, count); });
  return get<double>(given, vr, n, values);
}
fmi3Status fmi3SetFloat64(fmi3Instance given, const fmi3ValueReference vr[], size_t n,
                          const fmi3Float64 values[], size_t count) {
  if (n == 1 && vr[0] == fmi::array_in)
    return guarded(given, [&](Instance& i) { return i.model.set_array(values, count); });
  return set<double>(given, vr, n, values);
}

#define WIRECOST_ACCESS(Name, T, Value)                                             \
  fmi3Status fmi3Get##Name(fmi3Instance i, const fmi3ValueReference vr[], size_t n, \
                           Value values[], size_t) {                                \
    return get<T>(i, vr, n, values);                                                \
  }                                                                                 \
  fmi3Status fmi3Set##Name(fmi3Instance i, const fmi3ValueReference vr[], size_t n, \
                           const Value values[], size_t) {                          \
    return set<T>(i, vr, n, values);                                                \
  }
WIRECOST_ACCESS(Int32, std::int32_t, fmi3Int32)
WIRECOST_ACCESS(UInt64, std::uint64_t, fmi3UInt64)
WIRECOST_ACCESS(String, const char*, fmi3String)
#undef WIRECOST_ACCESS

fmi3Status fmi3GetBinary(fmi3Instance given, const fmi3ValueReference vr[], size_t n,
                         size_t sizes[], fmi3Binary values[], size_t) {
  return guarded(given, [&](Instance& instance) {
    for (std::size_t at = 0; at < n; ++at) {
      fmi::Bytes found;
      if (!instance.model.get(vr[at], found)) return false;
      values[at] = reinterpret_cast<fmi3Binary>(found.data());
      sizes[at] = found.size();
    }
    return true;
  });
}

fmi3Status fmi3SetBinary(fmi3Instance given, const fmi3ValueReference vr[], size_t n,
                         const size_t sizes[], const fmi3Binary values[], size_t) {
  return guarded(given, [&](Instance& instance) {
    for (std::size_t at = 0; at < n; ++at)
      if (!instance.model.set(vr[at], std::as_bytes(std::span(values[at], sizes[at]))))
        return false;
    return true;
  });
}

// No variable is a Boolean.
fmi3Status fmi3GetBoolean(fmi3Instance, const fmi3ValueReference[], size_t n, fmi3Boolean[],
                          size_t) {
  return n ? fmi3Error : fmi3OK;
}
fmi3Status fmi3SetBoolean(fmi3Instance, const fmi3ValueReference[], size_t n, const fmi3Boolean[],
                          size_t) {
  return n ? fmi3Error : fmi3OK;
}

}  // extern "C"
