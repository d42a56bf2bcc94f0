// SPDX-License-Identifier: Apache-2.0
// Codecs that do less than they should, each in one respect, to see them caught.
#pragma once

#include "wirecost/codec/flatbuffers_table.hpp"

namespace wirecost {

/// Writes reflections through `change`, which may skip one or alter it.
template <class Change>
class ChangedViewWriter : public flatbuffer::TableCodec::ViewWriter {
  using Base = flatbuffer::TableCodec::ViewWriter;

 public:
  using Base::add;
  using Base::Base;

  void begin(const SensorViewHeader& header) {
    index_ = 0;
    Base::begin(header);
  }
  void add(Reflection reflection) {
    if (Change{}(index_++, reflection)) Base::add(reflection);
  }

 private:
  std::size_t index_ = 0;
};

struct SkipsFirst {
  bool operator()(std::size_t index, Reflection&) const { return index != 1; }
};
struct AltersOne {
  bool operator()(std::size_t index, Reflection& reflection) const {
    if (index == 5) reflection.signal_strength += 1e-9;
    return true;
  }
};

struct DropsReflection : flatbuffer::TableCodec {
  using ViewWriter = ChangedViewWriter<SkipsFirst>;
};
struct AltersSignal : flatbuffer::TableCodec {
  using ViewWriter = ChangedViewWriter<AltersOne>;
};

struct DropsDetection : flatbuffer::TableCodec {
  class DataWriter : public flatbuffer::TableCodec::DataWriter {
    using Base = flatbuffer::TableCodec::DataWriter;

   public:
    using Base::add;
    using Base::Base;

    void begin_detections(std::size_t count) {
      left_ = count;
      Base::begin_detections(count);
    }
    void add(Detection detection) {
      if (--left_ > 0) Base::add(detection);
    }

   private:
    std::size_t left_ = 0;
  };
};

/// Writes only the first frame's reflections and hopes that the buffer still holds them.
struct KeepsStaleReflections : flatbuffer::TableCodec {
  class ViewWriter : public flatbuffer::TableCodec::ViewWriter {
    using Base = flatbuffer::TableCodec::ViewWriter;

   public:
    using Base::add;
    using Base::Base;

    void begin(const SensorViewHeader& header) {
      ++frame_;
      kept_.resize(frame_ == 1 ? 0 : kept_.size());
      next_ = 0;
      Base::begin(header);
    }
    void add(Reflection reflection) {
      if (frame_ == 1) kept_.push_back(reflection);
      Base::add(kept_[next_++]);
    }

   private:
    std::size_t frame_ = 0, next_ = 0;
    std::vector<Reflection> kept_;
  };
};

/// Reads only what is detected, whatever is asked for.
struct ReadsSample : flatbuffer::TableCodec {
  class ViewReader : public flatbuffer::TableCodec::ViewReader {
   public:
    Reflection reflection(std::size_t index) const {
      return flatbuffer::TableCodec::ViewReader::reflection(index / 18 * 18);
    }
  };
};

static_assert(Codec<DropsReflection> && Codec<AltersSignal> && Codec<DropsDetection> &&
              Codec<KeepsStaleReflections> && Codec<ReadsSample>);

}  // namespace wirecost
