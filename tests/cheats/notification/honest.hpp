// SPDX-License-Identifier: Apache-2.0
#include "codec.hpp"

using Contender = Honest;
