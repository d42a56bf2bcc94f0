// SPDX-License-Identifier: Apache-2.0
// Columns for those who know them and rows for those who do not, in one message.
#pragma once

#include "wirecost/codec/columns.hpp"
#include "wirecost/codec/protobuf_view.hpp"

namespace wirecost::compiled {

/// Columns are stored in place; rows go behind them, so only they make the buffer grow.
template <class Arrays, class Rows>
class Both {
 public:
  void begin(Stream& stream, std::size_t count) {
    arrays_.begin(stream, count);
    kept_.clear();
  }
  void add(const auto& element) {
    arrays_.add(element);
    kept_.push_back(element);
  }
  void end(Stream& stream) {
    arrays_.end(stream);
    rows_.begin(stream, kept_.size());
    for (const auto& element : kept_) rows_.add(element);
    rows_.end(stream);
  }

 private:
  Arrays arrays_;
  Rows rows_;
  std::vector<typename Rows::Element> kept_;
};

struct AlsoRowsCodec {
  using ViewWriter = compiled::ViewWriter<Both<ReflectionArrays, ReflectionRows>>;
  using ViewReader = ColumnsReader<compiled::ViewReader>;  // a holder would get the rows
  using DataWriter = compiled::DataWriter<Both<DetectionArrays, DetectionRows>>;
};

static_assert(Codec<AlsoRowsCodec>);

}  // namespace wirecost::compiled
