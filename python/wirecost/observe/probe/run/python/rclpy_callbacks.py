# SPDX-License-Identifier: Apache-2.0
"""Run first by each Python interpreter of a program: rclpy's callbacks record themselves.

It waits until rclpy is imported. What every executor of every version calls is the attribute
``callback`` of a subscription, timer, service, guard condition or event; what is put there is
replaced by a function that records it and calls the original. It runs in the node's Python, with
the standard library of 3.8 alone; the library that takes ROS 2's tracepoints it calls by ctypes,
and that one knows when the thread took its message.
"""

from __future__ import annotations

import ctypes
import functools
import importlib.metadata
import inspect
import operator
import os
import sys
import weakref
from contextlib import suppress
from functools import partial
from types import CodeType
from typing import Any, Callable  # noqa: UP035 - Python 3.8

from hooked_imports import Patching, name_of, plain  # type: ignore[import-not-found, unused-ignore]

ENTITIES = ("subscriptions", "publishers", "timers", "services", "clients", "guards", "waitables")
"""Properties of a node."""
OF_EXECUTOR = "rclpy.executors"
OF_ACTIONS = "rclpy.action.server"
ACTION = "_action/send_goal"
"""One of an action's services."""
PROCESSOR_TIME = "processor-ns"
"""The counter with which sending and taking are sections, conversion between Python and C included.
Those of the middleware, which the library records, are in them."""
MARK = "_wirecost"
"""The attribute of a future that says whose it is, and how others of ours begin."""

Place = Callable[[], str]
"""The beginning of a section's name: the node and what its callback is of. Known at its first call,
not before: nodes and timers are created bit by bit."""


class Library:
    """Without releasing the interpreter's lock: a call takes less than that."""

    def __init__(self, path: str) -> None:
        library = ctypes.PyDLL(path)
        self.section = library.wirecost_probe_section
        self.section.argtypes, self.section.restype = [ctypes.c_char_p], ctypes.c_uint32
        # Numbers below 2^31 need no declaration, which would take longer than the call.
        self.begin, self.end = library.wirecost_ros2_begin, library.wirecost_ros2_end
        self.start, self.finish = library.wirecost_ros2_start, library.wirecost_ros2_finish
        self.begin.restype = self.end.restype = self.finish.restype = None
        self.start.restype = ctypes.c_int64
        self.finish.argtypes = [ctypes.c_uint32, ctypes.c_int64]
        self.publish = library.wirecost_ros2_publish
        self.publish.restype = None


class Recorder:
    def __init__(self, library: Library) -> None:
        self.library = library
        self.nodes: list[weakref.ref[Any]] = []
        self.unless_probed = "WIRECOST_HOOK_UNLESS_PROBED" in os.environ
        counters = os.environ.get("WIRECOST_PROBE_COUNTERS", "").split(",")
        self.is_processor_counted = PROCESSOR_TIME in counters
        self.known_version = True
        self._sections: dict[str, int] = {}
        self._codes: set[CodeType] = set()

    def section(self, name: str) -> int:
        section = self._sections.get(name)
        if section is None:
            section = self.library.section(name.encode(errors="backslashreplace"))
            self._sections[name] = section
        return section

    def node_of(self, entity: Any) -> str:
        """Return the name of the node that has it; ``?`` where none has."""
        for node in filter(None, [reference() for reference in self.nodes]):
            if any(entity is own for kind in ENTITIES for own in getattr(node, kind, ())):
                return str(node.get_fully_qualified_name())
        return "?"

    def first_node(self) -> str:
        node = next(filter(None, [reference() for reference in self.nodes]), None)
        return "?" if node is None else str(node.get_fully_qualified_name())

    def left_alone(self, callback: Any) -> bool:
        """Also what rclpy does by default where an action server has no callback."""
        if self.unless_probed and "wirecost.observe.probe" in sys.modules:
            return True
        default = getattr(callback, "__module__", None) == OF_ACTIONS
        return not callable(callback) or default or not self.known_version

    def failed(self, module: str, _error: AttributeError) -> None:
        self.known_version = False
        what = "executor" if module == OF_EXECUTOR else module
        try:
            version = importlib.metadata.version("rclpy")
        except importlib.metadata.PackageNotFoundError:
            version = "of an unknown version"
        print(
            f"wirecost: rclpy {version}: its {what} is not known; callbacks are not recorded",
            file=sys.stderr,
        )

    def recorded(self, callback: Any, place: Place, wait: Place | None = None) -> Any:
        """Return a function that records each call of ``callback`` and looks like it.

        ``wait``: the section of the time since its message was taken.
        """
        try:
            return callback if self.left_alone(callback) else self._recorded(callback, place, wait)
        except Exception as error:  # a user's objects may raise anything
            return self._given_up(callback, error)

    def _given_up(self, callback: Any, error: Exception) -> Any:
        line = f"wirecost: a callback, {name_of(callback)}, is not recorded: {type(error).__name__}"
        with suppress(Exception):
            print(line, file=sys.stderr)
        return callback

    def _recorded(self, callback: Any, place: Place, wait: Place | None) -> Any:
        if getattr(callback, "__code__", None) in self._codes:  # set from another entity's
            callback = callback.__wrapped__
        record = self.recording(callback, place, wait)
        with suppress(Exception):
            functools.update_wrapper(record, callback)
        record.__wrapped__ = callback
        with suppress(Exception):
            # Kept, because rclpy 9 asks for it at each call of a timer.
            record.__signature__ = inspect.signature(callback)
        self._codes.add(record.__code__)
        return record

    def recording(self, callback: Any, place: Place, wait: Place | None = None) -> Any:
        section = waiting = 0
        library = self.library
        begin, end, start, finish = library.begin, library.end, library.start, library.finish

        def find() -> None:
            nonlocal section, waiting
            where = "?"
            with suppress(Exception):  # such as one whose node is destroyed
                waiting = 0 if wait is None else self.section(wait())
                where = place()
            section = self.section(f"{where} {name_of(callback)}")

        def record(*args: Any, **kwargs: Any) -> Any:
            if not section:
                find()
            begin(section, waiting)
            try:
                return callback(*args, **kwargs)
            finally:
                end(section)

        async def record_coroutine(*args: Any, **kwargs: Any) -> Any:
            if not section:
                find()
            since = start(waiting)
            try:
                return await callback(*args, **kwargs)
            finally:
                finish(section, since)

        return record_coroutine if inspect.iscoroutinefunction(callback) else record

    def recorded_task(self, callback: Any, arguments: tuple[Any, ...]) -> Any:
        """Return the recorded form of what an executor is given to call once.

        That is the user's tasks, and what the futures of clients call when they are done. What
        rclpy itself gives is its own.
        """
        try:
            return self._recorded_task(callback, arguments)
        except Exception as error:  # as above
            return self._given_up(callback, error)

    def _recorded_task(self, callback: Any, arguments: tuple[Any, ...]) -> Any:
        place = getattr(arguments[0], MARK, None) if arguments else None
        place = place or (lambda: f"{self.first_node()} task")
        if inspect.iscoroutine(callback):
            whole = self._function_of(callback)
            return callback if self.left_alone(whole) else self.recording(whole, place)()
        ours = str(getattr(plain(callback), "__module__", "")).startswith("rclpy.")
        return callback if ours or self.left_alone(callback) else self.recording(callback, place)

    def _function_of(self, coroutine: Any) -> Any:
        async def whole() -> Any:
            return await coroutine

        whole.__qualname__ = coroutine.__qualname__
        whole.__module__ = coroutine.cr_frame.f_globals.get("__name__", "?")
        return whole


def in_section(recorder: Recorder, method: Any, entity_of: int, what: str) -> Any:
    """Return a method that is a section of the node, topic and ``what`` of an argument.

    ``entity_of``: which of the arguments is the publisher or the subscription.
    """
    begin, end = recorder.library.begin, recorder.library.end
    hidden = f"{MARK}_{what}"

    def section_of(entity: Any) -> int:
        section: int = getattr(entity, hidden, 0)
        if not section:
            name = f"{recorder.node_of(entity)} {entity.topic_name} {what}"
            section = recorder.section(name)
            setattr(entity, hidden, section)
        return section

    @functools.wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        section = 0
        with suppress(Exception):  # such as an entity that is destroyed
            section = section_of(args[entity_of])
        if not section:
            return method(*args, **kwargs)
        begin(section, 0)
        try:
            return method(*args, **kwargs)
        finally:
            end(section)

    return call


def watch(kind: Any, attribute: str, recorded: Callable[[Any, Any], Any]) -> None:
    """Make whatever function is put into the attribute ``recorded(entity, value)``."""
    below = kind.__dict__.get(attribute)
    # Not in __dict__ itself: looked at once, it makes every attribute of the entity slower.
    hidden = f"{MARK}_{attribute}"
    read = operator.attrgetter(hidden) if below is None else below.fget

    def put(entity: Any, value: Any) -> None:
        if value is not None:
            value = recorded(entity, value)
        if below is None:
            setattr(entity, hidden, value)
        else:
            below.fset(entity, value)

    setattr(kind, attribute, property(read, put))


def reads_callbacks(function: Any) -> bool:
    """Return whether it, or a function in it, reads the attribute that is watched."""
    codes = [function] if isinstance(function, CodeType) else [getattr(function, "__code__", None)]
    return any(
        "callback" in code.co_names or any(map(reads_callbacks, code.co_consts))
        for code in codes
        if code is not None
    )


def of_action(what: str, entity: Any) -> str:
    """Return the place of an action server or client, by the name that its node gave it."""
    name = entity._action_name
    resolved = entity._node.resolve_service_name(f"{name}/{ACTION}")
    return f"action {resolved[: -len(ACTION) - 1]} {what}"


def service_name(entity: Any) -> str:
    """Name a service as the others know it."""
    return str(getattr(entity, "service_name", None) or entity.srv_name)


class Patches:
    """Replacements in each module of rclpy."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def by_module(self) -> dict[str, Callable[[Any], None]]:
        return {
            "rclpy.node": self._node,
            "rclpy.publisher": self._publisher,
            "rclpy.subscription": lambda module: self._watch(
                module.Subscription, lambda subscription: str(subscription.topic_name), taken=True
            ),
            "rclpy.timer": lambda module: self._watch(
                module.Timer, lambda timer: f"timer {timer.timer_period_ns / 1e6:.6g} ms"
            ),
            "rclpy.service": lambda module: self._watch(
                module.Service, lambda service: f"service {service_name(service)}"
            ),
            "rclpy.guard_condition": lambda module: self._watch(
                module.GuardCondition, lambda _one: "guard condition"
            ),
            "rclpy.event_handler": lambda module: self._watch(
                module.EventHandler, lambda _one: "event"
            ),
            "rclpy.client": lambda module: self._mark(
                module.Client, "call_async", lambda client: f"client {service_name(client)}"
            ),
            OF_EXECUTOR: self._executor,
            "rclpy.experimental.events_executor": lambda module: self._tasks(
                module._rclpy.EventsExecutor
            ),
            "rclpy.action.client": self._action_client,
            OF_ACTIONS: self._action_server,
        }

    def _place(self, entity: Any, what: Callable[[Any], str]) -> Place:
        return lambda: f"{self._recorder.node_of(entity)} {what(entity)}"

    def _watch(self, kind: Any, what: Callable[[Any], str], taken: bool = False) -> None:
        def recorded(entity: Any, callback: Any) -> Any:
            place = self._place(entity, what)
            wait = (lambda: f"{place()} take→callback") if taken else None
            return self._recorder.recorded(callback, place, wait)

        watch(kind, "callback", recorded)

    def _mark(self, kind: Any, method: str, what: Callable[[Any], str]) -> None:
        """Mark the futures that a client's method returns with the client's place."""
        original = getattr(kind, method)

        @functools.wraps(original)
        def call(client: Any, *args: Any, **kwargs: Any) -> Any:
            future = original(client, *args, **kwargs)
            setattr(future, MARK, self._place(client, what))
            return future

        setattr(kind, method, call)

    def _node(self, module: Any) -> None:
        init, nodes = module.Node.__init__, self._recorder.nodes

        @functools.wraps(init)
        def begin(node: Any, *args: Any, **kwargs: Any) -> None:
            nodes[:] = [reference for reference in nodes if reference() is not None]
            nodes.append(weakref.ref(node))
            init(node, *args, **kwargs)

        module.Node.__init__ = begin

    def _publisher(self, module: Any) -> None:
        publish, begin = module.Publisher.publish, self._recorder.library.publish

        @functools.wraps(publish)
        def publish_recorded(publisher: Any, *args: Any, **kwargs: Any) -> Any:
            begin()
            return publish(publisher, *args, **kwargs)

        module.Publisher.publish = publish_recorded
        if self._recorder.is_processor_counted:
            module.Publisher.publish = in_section(self._recorder, publish_recorded, 0, "send")

    def _executor(self, module: Any) -> None:
        if not any(map(reads_callbacks, vars(module.Executor).values())):
            raise AttributeError("callback")
        self._tasks(module.Executor)
        take = getattr(module.Executor, "_take_subscription", None)
        if self._recorder.is_processor_counted and take is not None:
            module.Executor._take_subscription = in_section(self._recorder, take, 1, "take")

    def _tasks(self, kind: Any) -> None:
        create, recorded = kind.create_task, self._recorder.recorded_task

        def create_recorded(executor: Any, callback: Any, *args: Any, **kwargs: Any) -> Any:
            return create(executor, recorded(callback, args), *args, **kwargs)

        kind.create_task = create_recorded

    def _action_client(self, module: Any) -> None:
        kind = module.ActionClient
        for method, what in (
            ("send_goal_async", "goal response"),
            ("_get_result_async", "result"),
            ("_cancel_goal_async", "cancel response"),
        ):
            self._mark(kind, method, partial(of_action, what))
        send = kind.send_goal_async

        @functools.wraps(send)
        def send_recorded(
            client: Any, goal: Any, feedback_callback: Any = None, *args: Any, **kwargs: Any
        ) -> Any:
            place = self._place(client, partial(of_action, "feedback"))
            feedback_callback = self._recorder.recorded(feedback_callback, place)
            return send(client, goal, feedback_callback, *args, **kwargs)

        kind.send_goal_async = send_recorded

    def _action_server(self, module: Any) -> None:
        kind = module.ActionServer
        init, notify = kind.__init__, kind.notify_execute

        @functools.wraps(init)
        def begin(
            server: Any, node: Any, action_type: Any, action_name: str, *args: Any, **kwargs: Any
        ) -> None:
            server._action_name = action_name
            init(server, node, action_type, action_name, *args, **kwargs)

        def recorded(what: str, server: Any, callback: Any) -> Any:
            return self._recorder.recorded(callback, self._place(server, partial(of_action, what)))

        def notify_recorded(server: Any, goal_handle: Any, execute_callback: Any) -> Any:
            return notify(server, goal_handle, recorded("execute", server, execute_callback))

        kind.__init__, kind.notify_execute = begin, notify_recorded
        for attribute, what in (
            ("_goal_callback", "goal"),
            ("_handle_accepted_callback", "accepted"),
            ("_cancel_callback", "cancel"),
            ("_execute_callback", "execute"),
        ):
            watch(kind, attribute, partial(recorded, what))


if os.environ.get("WIRECOST_PROBE") and os.environ.get("WIRECOST_ROS2_LIBRARY"):
    the_recorder = Recorder(Library(os.environ["WIRECOST_ROS2_LIBRARY"]))
    sys.meta_path.insert(0, Patching(Patches(the_recorder).by_module(), the_recorder.failed))
