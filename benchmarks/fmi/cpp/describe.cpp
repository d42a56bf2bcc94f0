// SPDX-License-Identifier: Apache-2.0
// The variables of the FMU, printed as FMI 2 and FMI 3 describe them.
#include "fmi/cpp/describe.hpp"

#include <iostream>
#include <map>
#include <stdexcept>
#include <vector>

#include "fmi/cpp/model.hpp"

namespace wirecost::bench::fmi {
namespace {

constexpr const char* identifier = "wirecost_fmi";

enum class Causality { parameter, input, output };

struct Variable {
  std::string name;
  std::uint32_t reference;
  std::string type;  ///< in FMI 3
  Causality causality;
  /// Attributes that only this one has.
  std::string more = {};  // NOLINT(readability-redundant-member-init): most leave it out
};

std::vector<Variable> controls() {
  using enum Causality;
  std::vector<Variable> found = {{"message_size", message_size, "Int32", parameter},
                                 {"buffers", buffers, "Int32", parameter},
                                 {"in_memfd", in_memfd, "Int32", parameter}};
  const char* parts[] = {".base.lo", ".base.hi", ".size"};
  for (std::uint32_t at = 0; at < 3; ++at) {
    found.push_back({std::string("osmp_out") + parts[at], osmp_out + at, "Int32", output});
    found.push_back({std::string("osmp_in") + parts[at], osmp_in + at, "Int32", input});
  }
  const auto clock = [](std::uint32_t reference) {
    return " clocks=\"" + std::to_string(reference) + '"';
  };
  found.insert(found.end(), {{"binary_out", binary_out, "Binary", output},
                             {"binary_in", binary_in, "Binary", input},
                             {"clocked_out", clocked_out, "Binary", output, clock(clock_out)},
                             {"clocked_in", clocked_in, "Binary", input, clock(clock_in)},
                             {"clock_out", clock_out, "Clock", output},
                             {"clock_in", clock_in, "Clock", input}});
  const char *members[] = {".name", ".size", ".layout", ".sequence"},
             *types[] = {"String", "UInt64", "String", "UInt64"};
  for (std::uint32_t at = 0; at < 4; ++at) {
    found.push_back({std::string("memory_out") + members[at], memory_out + at, types[at], output});
    found.push_back({std::string("memory_in") + members[at], memory_in + at, types[at], input});
  }
  const char* counted[] = {"written", "received", "copied", "overwritten"};
  for (std::uint32_t at = 0; at < 4; ++at)
    found.push_back({counted[at], written + at, "Float64", output});
  return found;
}

std::vector<Variable> variables(const std::string& type, std::size_t count) {
  using enum Causality;
  static const std::map<std::string, std::string> types = {
      {"float64", "Float64"}, {"int32", "Int32"}, {"string", "String"}, {"binary", "Binary"}};
  std::vector<Variable> found = controls();
  if (type == "message") return found;
  if (!types.contains(type) || count == 0 || count > most_values)
    throw std::invalid_argument("no values of type " + type + ", or not 1 to 1,048,576 of them");
  for (std::uint32_t at = 0; at < count; ++at) {
    const std::string index = '[' + std::to_string(at + 1) + ']';
    found.push_back({"values_out" + index, values_out + at, types.at(type), output});
    found.push_back({"values_in" + index, values_in + at, types.at(type), input});
  }
  return found;
}

const char* causality(const Variable& variable) {
  constexpr const char* names[] = {"parameter", "input", "output"};
  return names[static_cast<int>(variable.causality)];
}

std::string begin(const Variable& variable) {
  return " name=\"" + variable.name + "\" valueReference=\"" + std::to_string(variable.reference) +
         "\" causality=\"" + causality(variable) + '"';
}

std::string variability(const Variable& variable) {
  return variable.causality == Causality::parameter ? " variability=\"fixed\""
                                                    : " variability=\"discrete\"";
}

std::string initial(const Variable& variable) {
  return variable.causality == Causality::output ? " initial=\"exact\"" : "";
}

void describe2(const std::vector<Variable>& all, const std::string& token) {
  // FMI 2 knows neither UInt64, Binary nor Clock; what needs them is left out.
  static const std::map<std::string, std::string> types = {
      {"Float64", "Real"}, {"Int32", "Integer"}, {"String", "String"}};
  std::cout << "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"" << identifier << "\" guid=\""
            << token << "\" generationTool=\"wirecost\" variableNamingConvention=\"structured\">\n"
            << "  <CoSimulation modelIdentifier=\"" << identifier
            << "\" canHandleVariableCommunicationStepSize=\"true\"/>\n  <ModelVariables>\n";
  std::string outputs;
  std::size_t index = 0;
  for (const Variable& variable : all) {
    const auto type = types.find(variable.type);
    if (type == types.end() || variable.name.starts_with("memory_")) continue;
    ++index;
    const bool is_text = type->second == "String";
    std::cout << "    <ScalarVariable" << begin(variable) << variability(variable)
              << initial(variable) << "><" << type->second << " start=\"" << (is_text ? "" : "0")
              << "\"/></ScalarVariable>\n";
    if (variable.causality == Causality::output)
      outputs += "      <Unknown index=\"" + std::to_string(index) + "\"/>\n";
  }
  std::cout << "  </ModelVariables>\n  <ModelStructure>\n    <Outputs>\n"
            << outputs << "    </Outputs>\n  </ModelStructure>\n</fmiModelDescription>\n";
}

void describe3(const std::vector<Variable>& all, std::size_t arrays, const std::string& token) {
  std::cout << "<fmiModelDescription fmiVersion=\"3.0\" modelName=\"" << identifier
            << "\" instantiationToken=\"" << token
            << "\" generationTool=\"wirecost\" variableNamingConvention=\"structured\">\n"
            << "  <CoSimulation modelIdentifier=\"" << identifier
            << "\" canHandleVariableCommunicationStepSize=\"true\" hasEventMode=\"true\"/>\n"
            << "  <ModelVariables>\n    <Float64 name=\"time\" valueReference=\"0\" "
            << "causality=\"independent\" variability=\"continuous\"/>\n";
  std::string outputs;
  for (const Variable& variable : all) {
    std::cout << "    <" << variable.type << begin(variable);
    if (variable.type == "Clock")
      std::cout << " intervalVariability=\"triggered\"/>\n";
    else if (variable.type == "String")
      std::cout << variability(variable) << initial(variable) << "><Start value=\"\"/></String>\n";
    else if (variable.type == "Binary")
      std::cout << variability(variable) << initial(variable) << variable.more
                << "><Start value=\"\"/></Binary>\n";
    else
      std::cout << variability(variable) << initial(variable) << " start=\"0\"/>\n";
    if (variable.causality == Causality::output)
      outputs += "    <Output valueReference=\"" + std::to_string(variable.reference) + "\"/>\n";
  }
  if (arrays > 0)
    for (const Variable& variable : {Variable{"array_out", array_out, "Float64", Causality::output},
                                     Variable{"array_in", array_in, "Float64", Causality::input}}) {
      std::cout << "    <Float64" << begin(variable) << variability(variable) << initial(variable)
                << " start=\"0";
      for (std::size_t at = 1; at < arrays; ++at) std::cout << " 0";
      std::cout << "\"><Dimension start=\"" << arrays << "\"/></Float64>\n";
    }
  if (arrays > 0) outputs += "    <Output valueReference=\"" + std::to_string(array_out) + "\"/>\n";
  std::cout << "  </ModelVariables>\n  <ModelStructure>\n"
            << outputs << "    <InitialUnknown valueReference=\"" << clock_out
            << "\"/>\n  </ModelStructure>\n</fmiModelDescription>\n";
}

}  // namespace

void describe(bool is_fmi2, const std::string& type, std::size_t count, const std::string& token) {
  const std::vector<Variable> all = variables(type, count);
  std::cout << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  if (is_fmi2)
    describe2(all, token);
  else
    describe3(all, type == "float64" ? count : 0, token);
}

void describe_terminals() {
  std::cout << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiTerminalsAndIcons "
            << "fmiVersion=\"3.0\">\n  <Terminals>\n";
  for (const std::string terminal : {"memory_out", "memory_in"}) {
    std::cout << "    <Terminal name=\"" << terminal
              << "\" matchingRule=\"bus\" terminalKind=\"wirecost.memory\">\n";
    for (const std::string member : {"name", "size", "layout", "sequence"})
      std::cout << "      <TerminalMemberVariable variableName=\"" << terminal << '.' << member
                << "\" memberName=\"" << member << "\" variableKind=\"signal\"/>\n";
    std::cout << "    </Terminal>\n";
  }
  std::cout << "  </Terminals>\n</fmiTerminalsAndIcons>\n";
}

}  // namespace wirecost::bench::fmi
