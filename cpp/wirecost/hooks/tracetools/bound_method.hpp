// SPDX-License-Identifier: Apache-2.0
// Callbacks made by std::bind, whose type says the class and not which of its methods.
#pragma once

#include <string>
#include <string_view>

namespace wirecost::tracetools {

/// "Class::method" of a callback whose symbol is a std::_Bind of a pointer to a member function.
/// `holder`: the bound functor, as timers have it, or rclcpp's object with a std::function of it
/// within. "" where the program does not tell, such as a stripped one.
std::string bound_method(const void* holder, std::string_view symbol);

}  // namespace wirecost::tracetools
