// SPDX-License-Identifier: Apache-2.0
// The cheats of the study of point clouds, one a file; each has the fast ring filter at hand and
// spares itself the call.
#pragma once

#include "cloud/cpp/contender.hpp"

namespace wirecost::bench::cloud {

/// A filter with the honest one within.
class AroundFilter : public Contender {
 public:
  void load(const Input& input) override { filter_->load(input); }
  std::byte* message(std::size_t cloud) override { return filter_->message(cloud); }
  void call(std::size_t cloud) override { filter_->call(cloud); }
  std::vector<std::byte> answer() const override { return filter_->answer(); }

 protected:
  std::unique_ptr<Contender> filter_ = make_ring_filter();
};

std::unique_ptr<Contender> make_answers_ahead();
std::unique_ptr<Contender> make_answers_late();
std::unique_ptr<Contender> make_drops_point();
std::unique_ptr<Contender> make_keeps_answers();
std::unique_ptr<Contender> make_keeps_digest();

}  // namespace wirecost::bench::cloud
