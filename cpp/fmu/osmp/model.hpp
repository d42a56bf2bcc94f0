// SPDX-License-Identifier: Apache-2.0
// What a model folder provides to the FMI glue.
#pragma once

#include <memory>
#include <string>

#include "osmp/variables.hpp"

namespace wirecost::fmu {

class Model {
 public:
  virtual ~Model() = default;

  /// Computes the outputs at `time + step_size`. Empty when it worked, else what went wrong.
  virtual std::string step(double time, double step_size) = 0;

  /// Called once after the last step; empty or what went wrong.
  virtual std::string finish() = 0;
};

/// What modelDescription.xml gives as guid or instantiationToken.
extern const char* const token;

/// The role of this FMU, from its model folder.
extern const Declaration& declaration;

/// Creates the model once its parameters are set. Throws std::invalid_argument on a bad one.
std::unique_ptr<Model> make_model(Variables& variables);

/// Initialization mode: answers variables that depend on parameters alone.
void initialize(Variables& variables);

}  // namespace wirecost::fmu
