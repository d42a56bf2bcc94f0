// SPDX-License-Identifier: Apache-2.0
#include "osmp/instance.hpp"

#include <exception>

namespace wirecost::fmu {

bool Instance::start() {
  try {
    model_ = make_model(variables);
    return true;
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}

bool Instance::step(double time, double step_size) {
  if (!model_) return fail("doStep before the end of initialization mode");
  try {
    const std::string problem = model_->step(time, step_size);
    return problem.empty() || fail(problem);
  } catch (const std::exception& error) {
    return fail(error.what());
  }
}

bool Instance::terminate() {
  if (!model_) return true;
  const std::string problem = model_->finish();
  model_.reset();
  return problem.empty() || fail(problem);
}

bool Instance::reset() {
  const bool finished = terminate();
  variables.reset();
  initialize(variables);
  return finished;
}

bool Instance::set_binary(const Binary& binary, Bytes bytes) {
  std::vector<std::byte>& copy = received_[&binary];
  copy.assign(bytes.begin(), bytes.end());
  if (!variables.set_message(binary.reference, copy))
    return fail(std::string(binary.name) + ": a message must be shorter than 2 GiB");
  initialize(variables);
  return true;
}

bool Instance::fail(const std::string& message) const {
  log_(message);
  return false;
}

}  // namespace wirecost::fmu
