// SPDX-License-Identifier: Apache-2.0
// Opened while the program runs.
namespace cases {
long plugged_in(long value) { return value * 11; }
}  // namespace cases

extern "C" long plugin_work(long value) { return cases::plugged_in(value) + 1; }
