// SPDX-License-Identifier: Apache-2.0
// Prints a model's modelDescription.xml: describe FMI_VERSION MODEL_IDENTIFIER TOKEN WIRE
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "osmp/model.hpp"

namespace wirecost::fmu {
namespace {

constexpr const char* osmp_namespace = "http://xsd.pmsf.net/OSISensorModelPackaging";
constexpr const char* osi_version = "3.8.0";

std::string attribute(const char* name, std::string_view value) {
  std::string escaped;
  for (const char c : value) {
    if (c == '"')
      escaped += "&quot;";
    else if (c == '<')
      escaped += "&lt;";
    else if (c == '&')
      escaped += "&amp;";
    else
      escaped += c;
  }
  return " " + std::string(name) + "=\"" + escaped + "\"";
}

/// OSMP's MIME type; another for wires other than Protobuf, so that no importer connects both.
std::string mime_type(const Binary& binary, std::string_view wire) {
  std::string type =
      "application/x-open-simulation-interface; type=" + std::string(binary.message) +
      "; version=" + osi_version;
  if (wire != "protobuf" && binary.causality != Causality::parameter &&
      binary.causality != Causality::calculated_parameter)
    type += "; encoding=" + std::string(wire);
  return type;
}

std::string osmp_annotation(const std::string& indent, const char* element, const Binary& binary,
                            const char* role, std::string_view wire) {
  return indent + "<" + element + attribute(element[0] == 'T' ? "name" : "type", "net.pmsf.osmp") +
         attribute("xmlns:osmp", osmp_namespace) + "><osmp:osmp-binary-variable" +
         attribute("name", binary.name) + attribute("role", role) +
         attribute("mime-type", mime_type(binary, wire)) + "/></" + element + ">\n";
}

std::string causality(Causality causality) {
  switch (causality) {
    case Causality::input: return attribute("causality", "input");
    case Causality::output: return attribute("causality", "output");
    case Causality::parameter: return attribute("causality", "parameter");
    case Causality::calculated_parameter: return attribute("causality", "calculatedParameter");
  }
  return "";
}

bool fixed(Causality c) {
  return c == Causality::parameter || c == Causality::calculated_parameter;
}
const char* variability(Causality c) { return fixed(c) ? "fixed" : "discrete"; }

class Fmi2 {
 public:
  Fmi2(std::string identifier, std::string token, std::string wire)
      : identifier_(std::move(identifier)), token_(std::move(token)), wire_(std::move(wire)) {}

  void print() {
    for (const Binary& binary : declaration.binaries) {
      constexpr const char* roles[] = {"base.lo", "base.hi", "size"};
      for (std::uint32_t part = 0; part < 3; ++part)
        variable(std::string(binary.name) + "." + roles[part], "OSMP binary variable",
                 binary.reference + part, binary.causality, "Integer", "0",
                 "      <Annotations>\n" +
                     osmp_annotation("        ", "Tool", binary, roles[part], wire_) +
                     "      </Annotations>\n");
    }
    constexpr const char* elements[] = {"Boolean", "Integer", "Real", "String"};
    for (const Scalar& s : declaration.scalars)
      variable(s.name, s.description, s.reference, s.causality, elements[static_cast<int>(s.type)],
               s.start, "");
    std::cout << R"(<?xml version="1.0" encoding="UTF-8"?>)" << "\n<fmiModelDescription"
              << attribute("fmiVersion", "2.0") << attribute("modelName", identifier_)
              << attribute("guid", token_) << attribute("description", declaration.description)
              << attribute("generationTool", "wirecost")
              << attribute("variableNamingConvention", "structured") << ">\n  <CoSimulation"
              << attribute("modelIdentifier", identifier_)
              << attribute("canHandleVariableCommunicationStepSize", "true")
              << "/>\n  <DefaultExperiment startTime=\"0\" stepSize=\"0.020\"/>\n"
              << "  <VendorAnnotations>\n    <Tool name=\"net.pmsf.osmp\""
              << attribute("xmlns:osmp", osmp_namespace)
              << "><osmp:osmp version=\"1.6.0\" osi-version=\"" << osi_version
              << "\"/></Tool>\n  </VendorAnnotations>\n  <ModelVariables>\n"
              << variables_ << "  </ModelVariables>\n  <ModelStructure>\n    <Outputs>\n"
              << outputs_ << "    </Outputs>\n";
    if (!unknowns_.empty())
      std::cout << "    <InitialUnknowns>\n" << unknowns_ << "    </InitialUnknowns>\n";
    std::cout << "  </ModelStructure>\n</fmiModelDescription>\n";
  }

 private:
  void variable(const std::string& name, const char* description, std::uint32_t reference,
                Causality c, const char* element, const char* start,
                const std::string& annotations) {
    ++index_;
    std::string text = "    <ScalarVariable" + attribute("name", name) +
                       attribute("valueReference", std::to_string(reference)) + causality(c) +
                       attribute("variability", variability(c));
    if (c == Causality::output) text += attribute("initial", "exact");
    if (c == Causality::calculated_parameter) text += attribute("initial", "calculated");
    text += attribute("description", description) + ">\n      <" + element;
    if (c != Causality::calculated_parameter) text += attribute("start", start);
    variables_ += text + "/>\n" + annotations + "    </ScalarVariable>\n";
    const std::string unknown =
        "      <Unknown" + attribute("index", std::to_string(index_)) + "/>\n";
    if (c == Causality::output) outputs_ += unknown;
    if (c == Causality::calculated_parameter) unknowns_ += unknown;
  }

  std::string identifier_, token_, wire_;
  std::string variables_, outputs_, unknowns_;
  int index_ = 0;
};

class Fmi3 {
 public:
  Fmi3(std::string identifier, std::string token, std::string wire)
      : identifier_(std::move(identifier)), token_(std::move(token)), wire_(std::move(wire)) {}

  void print() {
    for (const Binary& binary : declaration.binaries)
      variable("Binary", binary.name, "OSMP binary variable", fmi3_reference(binary, declaration),
               binary.causality, attribute("mimeType", mime_type(binary, wire_)),
               "      <Annotations>\n" +
                   osmp_annotation("        ", "Annotation", binary, "full", wire_) +
                   "      </Annotations>\n" +
                   (binary.causality == Causality::calculated_parameter
                        ? ""
                        : "      <Start value=\"\"/>\n"));
    constexpr const char* elements[] = {"Boolean", "Int32", "Float64", "String"};
    for (const Scalar& s : declaration.scalars)
      variable(elements[static_cast<int>(s.type)], s.name, s.description,
               fmi3_reference(s, declaration), s.causality,
               s.type == Type::string ? "" : attribute("start", s.start),
               s.type == Type::string ? "      <Start" + attribute("value", s.start) + "/>\n" : "");
    std::cout << R"(<?xml version="1.0" encoding="UTF-8"?>)" << "\n<fmiModelDescription"
              << attribute("fmiVersion", "3.0") << attribute("modelName", identifier_)
              << attribute("instantiationToken", token_)
              << attribute("description", declaration.description)
              << attribute("generationTool", "wirecost")
              << attribute("variableNamingConvention", "structured") << ">\n  <CoSimulation"
              << attribute("modelIdentifier", identifier_)
              << attribute("canHandleVariableCommunicationStepSize", "true")
              << "/>\n  <DefaultExperiment startTime=\"0\" stepSize=\"0.020\"/>\n"
              << "  <ModelVariables>\n    <Float64 name=\"time\" valueReference=\"0\""
              << " causality=\"independent\" variability=\"continuous\"/>\n"
              << variables_ << "  </ModelVariables>\n  <ModelStructure>\n"
              << outputs_ << unknowns_ << "  </ModelStructure>\n  <Annotations>\n"
              << "    <Annotation type=\"net.pmsf.osmp\"" << attribute("xmlns:osmp", osmp_namespace)
              << "><osmp:osmp version=\"1.6.0\" osi-version=\"" << osi_version
              << "\"/></Annotation>\n  </Annotations>\n</fmiModelDescription>\n";
  }

 private:
  void variable(const char* element, const char* name, const char* description,
                std::uint32_t reference, Causality c, const std::string& attributes,
                const std::string& content) {
    std::string text = std::string("    <") + element + attribute("name", name) +
                       attribute("valueReference", std::to_string(reference)) + causality(c) +
                       attribute("variability", variability(c));
    if (c == Causality::output) text += attribute("initial", "exact");
    if (c == Causality::calculated_parameter) text += attribute("initial", "calculated");
    text += attribute("description", description) + attributes;
    variables_ +=
        content.empty() ? text + "/>\n" : text + ">\n" + content + "    </" + element + ">\n";
    const std::string reference_only = attribute("valueReference", std::to_string(reference));
    if (c == Causality::output) outputs_ += "    <Output" + reference_only + "/>\n";
    if (c == Causality::calculated_parameter)
      unknowns_ += "    <InitialUnknown" + reference_only + "/>\n";
  }

  std::string identifier_, token_, wire_;
  std::string variables_, outputs_, unknowns_;
};

}  // namespace
}  // namespace wirecost::fmu

int main(int argc, char** argv) {
  if (argc != 5) {
    std::cerr << "usage: describe 2|3 MODEL_IDENTIFIER TOKEN WIRE\n";
    return 2;
  }
  if (std::string_view(argv[1]) == "3")
    wirecost::fmu::Fmi3(argv[2], argv[3], argv[4]).print();
  else
    wirecost::fmu::Fmi2(argv[2], argv[3], argv[4]).print();
}
