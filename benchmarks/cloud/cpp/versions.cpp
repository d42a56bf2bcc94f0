// SPDX-License-Identifier: Apache-2.0
#include "cloud/cpp/versions.hpp"

namespace wirecost::bench::cloud {

std::vector<Listed> versions() {
  return {
#ifdef WIRECOST_HAS_PCL
      {"ring",
       {"usual", "PCL " WIRECOST_PCL_VERSION, "fromROSMsg, filter, toROSMsg", make_ring_pcl}},
#endif
      {"ring",
       {"recommended", "C++ library", "on the message's bytes, new message", make_ring_in_place}},
      {"ring",
       {"wirecost", "wirecost " WIRECOST_VERSION, "sorted into the output message, reused",
        make_ring_filter}},
      {"area", {"usual", "Boost.Geometry", "within for every point", make_area_within}},
      {"area",
       {"recommended", "Boost.Geometry", "smallest enclosing circle, then within",
        make_area_circle}},
      {"area",
       {"wirecost", "wirecost " WIRECOST_VERSION, "boxes, then bands of edges", make_area_bands}},
  };
}

}  // namespace wirecost::bench::cloud
