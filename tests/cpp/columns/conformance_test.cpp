// SPDX-License-Identifier: Apache-2.0
// The golden vectors through the transposer and the row writer, and what readers must refuse.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "columns/conversions.hpp"
#include "compile/bytes.hpp"
#include "conformance/columns2/columns_proto2.columns.hpp"
#include "conformance/columns3/columns_proto3.columns.hpp"
#include "osi3/osi_sensorview.columns.hpp"

namespace {

using namespace wirecost::columns;
using namespace wirecost::test;

const std::map<std::string, Schema> schemas{
    {"conformance.columns2.Sample", wire::conformance::columns2::SampleColumns::schema},
    {"conformance.columns3.Sample", wire::conformance::columns3::SampleColumns::schema},
    {"osi3.LidarSensorView.Reflection", wire::osi3::LidarSensorViewReflectionColumns::schema},
};

struct Line {
  std::string message;
  std::vector<std::string> words;
  std::string comment;
};

std::vector<Line> lines(const std::string& folder) {
  std::vector<Line> found;
  for (const auto& file : std::filesystem::directory_iterator(WIRECOST_CONFORMANCE "/" + folder)) {
    std::ifstream in(file.path());
    std::string comment;
    for (std::string line; std::getline(in, line);) {
      if (line.starts_with('#')) {
        comment = line;
        continue;
      }
      std::istringstream words(line);
      Line made;
      made.comment = comment;
      words >> made.message;
      for (std::string word; words >> word;) made.words.push_back(word);
      found.push_back(made);
    }
  }
  return found;
}

Reduction reduction_of(const std::string& name) {
  if (name == "auto") return {Reduce::automatic};
  if (name == "float32") return {Reduce::float32};
  if (name.starts_with("error:")) return {Reduce::error, std::stod(name.substr(6))};
  return {};
}

// Every real value of `rows` is as far as that from the one in `expected` at most.
void expect_near(const Schema& schema, const std::string& expected, const std::string& rows,
                 double error) {
  const std::string first = columns_of(schema, rows_in(expected));
  const std::string second = columns_of(schema, rows_in(rows));
  Reader a;
  Reader b;
  ASSERT_FALSE(a.read(bytes(first), schema));
  ASSERT_FALSE(b.read(bytes(second), schema));
  ASSERT_EQ(a.count(), b.count());
  for (std::uint32_t node = 0; node < schema.nodes.size(); ++node) {
    ASSERT_EQ(a[node].stored, b[node].stored);
    const auto compare = [&](auto zero) {
      for (std::uint32_t i = 0; i < a[node].stored; ++i) {
        const auto x = value_at(a[node], i, zero);
        const auto y = value_at(b[node], i, zero);
        if (x != y && !(std::isnan(x) && std::isnan(y))) {
          EXPECT_LE(std::fabs(x - y), error) << schema.nodes[node].name;
        }
      }
    };
    if (schema.nodes[node].type == Type::float64) compare(0.0);
    if (schema.nodes[node].type == Type::float32) compare(0.0F);
  }
}

TEST(Conformance, VectorsAreWrittenAndReadAlike) {
  const auto all = lines("vectors-columns");
  ASSERT_GT(all.size(), 40U);
  for (const Line& line : all) {
    const Schema& schema = schemas.at(line.message);
    const Reduction reduction = reduction_of(line.words[0]);
    const std::string columns = from_hex(line.words[1]);
    const std::string rows = line.words.size() > 2 ? from_hex(line.words[2]) : "";
    SCOPED_TRACE(line.message + " " + line.comment);
    EXPECT_EQ(to_hex(columns_of(schema, rows_in(rows), reduction)), line.words[1]);
    if (reduction.form == Reduce::exact || reduction.form == Reduce::automatic) {
      EXPECT_EQ(to_hex(rows_of(schema, columns)), to_hex(rows));
    } else {
      expect_near(schema, rows, rows_of(schema, columns),
                  reduction.form == Reduce::error ? reduction.error : 1e300);
    }
  }
}

TEST(Conformance, WhatIsWrongIsRefused) {
  const auto all = lines("refused-columns");
  ASSERT_GT(all.size(), 40U);
  Reader reader;
  for (const Line& line : all) {
    const auto input = exact(from_hex(line.words.empty() ? "" : line.words[0]));
    const Error error = reader.read(input, schemas.at(line.message));
    EXPECT_TRUE(error) << line.comment;
    EXPECT_LE(error.position, input.size());
    EXPECT_EQ(reader.count(), 0U);
  }
}

}  // namespace
