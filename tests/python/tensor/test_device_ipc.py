# SPDX-License-Identifier: Apache-2.0
"""Tensors from one process to another in a device's memory, with stand-ins.

Stand-ins are support/fake_cuda.py for the frameworks and support/fake_libcuda.cpp for CUDA's
driver. Not run here: a device; setup/test-devices does that."""

from __future__ import annotations

import gc
import os
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
import pytest

from attack.tensor.hostile import whole
from attack.tensor.mutate import mutated_frame
from attack.tensor.native import read
from support import fake_cuda, fake_driver
from support.fake_cuda import Array, ArrayImpl, Tensor
from support.fake_driver import Peer
from wirecost.messaging.tensor import LostError, codes, decode, encode, native, use_devices
from wirecost.messaging.tensor.errors import FrameError
from wirecost.messaging.tensor.ipc import driver, receiving, ring, ring_file
from wirecost.messaging.tensor.ipc.ring_file import SLOTS
from wirecost.messaging.tensor.ipc.sharing import Sharing
from wirecost.system.errors import UserError

CLASSES = {"torch": Tensor, "cupy": Array, "jax": ArrayImpl}


@pytest.fixture(autouse=True)
def device(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Path]:
    """Install a fake device, and return a folder for rings of its own."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    fake_cuda.install(monkeypatch)
    with fake_driver.in_this_process(monkeypatch):
        yield tmp_path / "wirecost" / ring_file.FOLDER
    use_devices()


@pytest.fixture
def start() -> Iterator[Callable[..., Peer]]:
    """Start sending processes."""
    peers: list[Peer] = []

    def started(**environment: str) -> Peer:
        peers.append(Peer(**environment))
        return peers[-1]

    yield started
    for peer in peers:
        peer.end()


@pytest.fixture
def peer(start: Callable[..., Peer]) -> Peer:
    return start()


@pytest.fixture
def sharing() -> Iterator[Sharing]:
    """Return the sharing of a sender in this process."""
    sharing = Sharing()
    yield sharing
    sharing.close()


def rings(folder: Path) -> set[Path]:
    return set(folder.glob("*.ring"))


def fields(frame: bytes) -> list[Any]:
    """Return the fields of the one tensor of a frame."""
    fields: list[Any] = msgpack.unpackb(
        frame[32:], ext_hook=lambda code, payload: (code, msgpack.unpackb(payload))
    )
    assert fields[0] == codes.SHARED
    return list(fields[1])


def frame_of(*values: Any) -> bytes:
    """Return a frame as a hostile sender may write it."""
    return whole(lambda _: msgpack.ExtType(codes.SHARED, msgpack.packb(values)))


@pytest.mark.parametrize("framework", CLASSES)
def test_another_process_gets_what_was_sent_in_memory_of_its_own(
    peer: Peer, framework: str
) -> None:
    first, second = (peer.frame(framework, start, 1000) for start in (3, 5))
    decoded = decode(first)
    assert type(decoded) is CLASSES[framework]
    assert decoded.array.tolist() == list(range(3, 1003))
    peer.do("send", framework, 7, 1000)
    assert decoded.array[0] == 3
    assert decode(second, as_="numpy").tolist() == list(range(5, 1005))
    for other, cls in CLASSES.items():
        assert type(decode(second, as_=other)) is cls
    # No data travel in the frame, which is left to Python.
    assert len(first) < 300
    if native.binding is not None:
        assert native.binding.decode(first, None) is NotImplemented


def test_several_in_one_message_beside_what_lies_on_the_host(sharing: Sharing) -> None:
    turned = np.arange(12.0).reshape(3, 4).T
    arrays = [turned, np.array(2.5, "f4"), np.zeros((0, 3)), np.arange(300) % 2 == 0]
    message = {
        "a": [Tensor(array, "cuda:0") for array in arrays],
        "b": (Array(turned), 1),
        "c": turned,
    }
    decoded = decode(encode(sharing.share(message)).tobytes())
    for got, sent in zip([*decoded["a"], decoded["b"][0]], [*arrays, turned], strict=True):
        assert got.array.dtype == sent.dtype and got.array.shape == sent.shape
        assert got.array.tolist() == sent.tolist()
    assert decoded["b"][1] == 1 and decoded["c"].tolist() == turned.tolist()
    assert message["c"] is turned and type(message["a"][0]) is Tensor


def test_what_lies_on_the_host_stays_as_it_is(sharing: Sharing, device: Path) -> None:
    message = {"a": Tensor(np.ones(3)), "b": [ArrayImpl(np.ones(3), "cpu"), np.ones(2)]}
    assert sharing.share(message) is message
    assert not device.exists()


def test_a_message_waits_as_long_as_its_slot_is_not_written_again(peer: Peer) -> None:
    frames = [peer.frame("torch", start, 10) for start in range(SLOTS)]
    assert [int(decode(frame).array[0]) for frame in frames] == list(range(SLOTS))
    peer.frame("torch", 99, 10)
    with pytest.raises(LostError, match=f"overwritten.* within {SLOTS} messages"):
        decode(frames[0])
    assert decode(frames[1]).array[0] == 1


def test_a_message_that_is_overwritten_while_it_is_copied_is_lost(
    peer: Peer, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = peer.frame("torch", 1, 10)
    usual = driver.Driver.wait

    def slow(*arguments: Any) -> None:
        for _ in range(SLOTS):
            peer.do("send", "torch", 50, 10)
        usual(*arguments)

    monkeypatch.setattr(driver.Driver, "wait", slow)
    with pytest.raises(LostError, match="overwritten"):
        decode(frame)
    with pytest.raises(LostError, match="overwritten"):
        decode(frame, as_="numpy")


@pytest.mark.parametrize("opened", [True, False], ids=["opened", "never opened"])
def test_a_sender_that_was_killed_takes_its_messages_with_it(
    peer: Peer, sharing: Sharing, device: Path, opened: bool
) -> None:
    frames = [peer.frame("torch", start, 10) for start in range(3)]
    if opened:
        decode(frames[0])
    peer.end(kill=True)
    for frame in frames:
        with pytest.raises(LostError, match=r"killed|ended"):
            decode(frame)
    assert not receiving._OPEN
    remaining = rings(device)
    assert remaining
    sharing.share(Tensor(np.ones(1), "cuda:0"))  # the next sender clears up
    assert not remaining & rings(device)


def test_a_sender_that_is_killed_while_it_writes(peer: Peer) -> None:
    frames = [peer.frame("torch", start, 10) for start in range(SLOTS)]
    decode(frames[0])
    assert peer.do("die", "torch", 5, 10) == ""
    for frame in frames:
        with pytest.raises(LostError):
            decode(frame)


def test_a_sender_that_ended_is_reported_where_it_was_never_known(
    start: Callable[..., Peer], device: Path
) -> None:
    familiar, unknown = start(), start()
    first, second, other = familiar.frame("torch", 1, 9), familiar.frame("torch", 2, 9), start()
    lost = unknown.frame("cupy", 1, 9)
    decode(first)
    for peer in (familiar, unknown):
        assert peer.do("close") == "done"
    assert rings(device) == set()
    with pytest.raises(LostError):
        decode(second)
    with pytest.raises(LostError):
        decode(first)
    with pytest.raises(FrameError, match=r"knows nothing of: it has ended, or .*use_devices\("):
        decode(lost)
    assert decode(other.frame("torch", 4, 9)).array[0] == 4


def test_a_larger_message_gets_larger_slots_and_the_former_are_read_meanwhile(
    peer: Peer, device: Path
) -> None:
    small = [peer.frame("torch", start, 10) for start in range(2)]
    assert decode(small[0]).array[0] == 0
    former = rings(device)
    large = peer.frame("torch", 7, ring.LEAST_SLOT // 8 + 1)
    assert fields(large)[0] != fields(small[0])[0]
    assert decode(large).array[-1] == 7 + ring.LEAST_SLOT // 8
    assert decode(small[1]).array[0] == 1
    assert former < rings(device)
    for start in range(2 * SLOTS):
        assert decode(peer.frame("torch", start, 10)).array[0] == start
    assert len(rings(device)) == 1 and not former & rings(device)
    assert len(receiving._OPEN) == 1


def test_too_large_a_message_and_a_full_device_are_one_line(
    sharing: Sharing, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ring, "MOST_SLOT", 1 << 18)
    with pytest.raises(UserError, match=r"take 400,128 bytes, more than 262,144 .*device_to_host"):
        sharing.share(Tensor(np.zeros(50_000), "cuda:0"))
    monkeypatch.setattr(ring, "MOST_SLOT", 1 << 40)
    huge = Tensor(np.broadcast_to(np.zeros(1, "u1"), (1 << 27,)), "cuda:0")
    with pytest.raises(UserError, match="cuMemAlloc gave CUDA_ERROR_OUT_OF_MEMORY; make room"):
        sharing.share(huge)


def test_no_driver_is_one_line(monkeypatch: pytest.MonkeyPatch, peer: Peer) -> None:
    frame = peer.frame("torch", 1, 9)
    monkeypatch.setattr(driver, "LIBRARY", "libcuda-of-nobody.so.1")
    driver.driver.cache_clear()
    with pytest.raises(UserError, match=r"CUDA: its driver cannot be used .*install NVIDIA's"):
        decode(frame)
    monkeypatch.setattr(driver, "LIBRARY", "libc.so.6")
    with pytest.raises(UserError, match=r"driver cannot be used .*cuInit.*from CUDA 11\.4"):
        decode(frame)


def test_a_device_that_this_process_does_not_have(start: Callable[..., Peer]) -> None:
    frame = start(FAKE_CUDA_DEVICES="z").frame("torch", 1, 9)
    with pytest.raises(FrameError, match=r"GPU-0707\w+7a, which this process does not have"):
        decode(frame)


def test_devices_are_found_by_what_they_are_and_not_by_their_number(
    start: Callable[..., Peer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE_CUDA_DEVICES", "xyz")
    frame = start(FAKE_CUDA_DEVICES="z").frame("torch", 1, 9)
    assert decode(frame).device.index == 2


def test_no_more_rings_are_open_than_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receiving, "MOST_OPEN", 2)
    senders = [Sharing() for _ in range(4)]
    for number in (0, 1, 2, 3, 0):
        shared = senders[number].share(Tensor(np.full(3, number), "cuda:0"))
        assert decode(encode(shared).tobytes()).array[0] == number
        assert len(receiving._OPEN) <= 2
    for sender in senders:
        sender.close()


def test_a_forked_process_leaves_its_parents_rings_alone(peer: Peer) -> None:
    frame = peer.frame("torch", 0, 9)
    refused = peer.do("fork", "torch", 1, 9)
    assert refused.startswith("refused: ") and "CUDA_ERROR_NOT_INITIALIZED" in refused
    assert decode(frame).array.tolist() == list(range(9))


GOOD = 2
"""Number of the message that the next two tests change."""
HOSTILE: dict[str, Callable[[list[Any]], Any]] = {
    "no fields": lambda f: f[:5],
    "a ring that is no bytes": lambda f: ["../../../etc/passwd", *f[1:]],
    "a short ring": lambda f: [f[0][:15], *f[1:]],
    "a ring of nobody": lambda f: [bytes(16), *f[1:]],
    "message 0": lambda f: [f[0], 0, *f[2:]],
    "a message to come": lambda f: [f[0], GOOD + 1, *f[2:]],
    "a message of another round": lambda f: [f[0], GOOD + SLOTS, *f[2:]],
    "a message before the first": lambda f: [f[0], GOOD - SLOTS, *f[2:]],
    "a number that overflows": lambda f: [f[0], (1 << 63) + GOOD // 2, *f[2:]],
    "a message that is true": lambda f: [f[0], True, *f[2:]],
    "an offset before the slot": lambda f: [*f[:2], -256, *f[3:]],
    "an offset behind the slot": lambda f: [*f[:2], ring.LEAST_SLOT, *f[3:]],
    "an offset that overflows": lambda f: [*f[:2], (1 << 64) - 256, *f[3:]],
    "an offset between": lambda f: [*f[:2], 8, *f[3:]],
    "an offset with a fraction": lambda f: [*f[:2], 0.0, *f[3:]],
    "too many elements": lambda f: [*f[:4], [ring.LEAST_SLOT // 8 + 1], f[5]],
    "elements without end": lambda f: [*f[:4], [1 << 62, 1 << 62], f[5]],
    "fewer than none": lambda f: [*f[:4], [-1], f[5]],
    "an unknown type": lambda f: [*f[:3], "|O8", *f[4:]],
    "a type of the other order": lambda f: [*f[:3], ">f8", *f[4:]],
    "a type of texts": lambda f: [*f[:3], "<U2", *f[4:]],
    "an unknown framework": lambda f: [*f[:5], "cuda"],
    "a framework without tensors": lambda f: [*f[:5], "pandas"],
    "a framework that is none": lambda f: [*f[:5], ["torch"]],
}  # fmt: skip


@pytest.mark.parametrize("how", HOSTILE)
def test_hostile_frames_are_refused_in_one_line(sharing: Sharing, how: str) -> None:
    for start in range(GOOD):
        frame = encode(sharing.share(Tensor(np.arange(9.0) + start, "cuda:0"))).tobytes()
    good = fields(frame)
    assert decode(frame_of(*good)).array[0] == GOOD - 1
    with pytest.raises(UserError) as raised:
        decode(frame_of(*HOSTILE[how](good)))
    assert str(raised.value).isprintable()


def test_more_than_a_frame_may_expand_to(sharing: Sharing) -> None:
    shared = sharing.share(Tensor(np.zeros(ring.LEAST_SLOT, "u1"), "cuda:0"))
    extension = msgpack.ExtType(codes.SHARED, shared.payload)
    assert len(decode(whole(lambda _: [extension] * 20))) == 20
    with pytest.raises(FrameError, match="what its compressed tensors and those on a device take"):
        decode(whole(lambda _: [extension] * 5000))
    body = {"data": extension, "chunks": [1], "attributes": {}}
    described = msgpack.packb(["dask", "array", body])
    with pytest.raises(FrameError, match="has a tensor in it that is compressed or on a device"):
        decode(whole(lambda _: msgpack.ExtType(codes.OBJECT, described)))


def changed(path: Path, at: int, content: bytes) -> None:
    data = path.read_bytes()
    with path.open("r+b") as file:  # the same file, which its sender has locked
        file.write(data[:at] + content + data[at + len(content) :])


def _replaced(path: Path, make: Callable[[Path], object]) -> None:
    path.unlink()
    make(path)


DAMAGED: dict[str, Callable[[Path], object]] = {
    "another beginning": lambda path: changed(path, 0, b"X"),
    "slots larger than its memory": lambda path: changed(path, 88, (1 << 20).to_bytes(8, "little")),
    "slots beyond all": lambda path: changed(path, 88, b"\xff" * 8),
    "slots of nothing": lambda path: changed(path, 88, bytes(8)),
    "another device": lambda path: changed(path, 8, bytes(16)),
    "cut": lambda path: os.truncate(path, 100),
    "longer": lambda path: os.truncate(path, 1000),
    "readable by others": lambda path: path.chmod(0o644),
    "a link": lambda path: _replaced(path, lambda at: at.symlink_to("/dev/zero")),
    "a pipe": lambda path: _replaced(path, os.mkfifo),
    "a folder": lambda path: _replaced(path, Path.mkdir),
    "gone": lambda path: path.unlink(),
}


@pytest.mark.parametrize("how", DAMAGED)
def test_a_rings_file_that_is_none_is_refused(sharing: Sharing, device: Path, how: str) -> None:
    frame = encode(sharing.share(Tensor(np.arange(9.0), "cuda:0"))).tobytes()
    (path,) = rings(device)
    DAMAGED[how](path)
    with pytest.raises(FrameError) as raised:
        decode(frame)
    assert str(raised.value).isprintable()
    assert not receiving._OPEN


def test_a_handle_that_the_driver_does_not_know(peer: Peer, device: Path) -> None:
    frame = peer.frame("torch", 1, 9)
    (path,) = rings(device)
    changed(path, 24, b"/wirecost-fake-of-nobody\0")
    with pytest.raises(FrameError, match="cannot be opened: CUDA: cuIpcOpenMemHandle gave"):
        decode(frame)


def test_a_folder_that_others_may_write_is_refused(sharing: Sharing, device: Path) -> None:
    frame = encode(sharing.share(Tensor(np.arange(9.0), "cuda:0"))).tobytes()
    device.chmod(0o777)
    with pytest.raises(UserError, match="can be written by others"):
        decode(frame)


def test_mutated_frames_are_read_or_refused_and_no_copy_leaves_its_ring(
    sharing: Sharing,
) -> None:
    def sent(count: int) -> bytes:
        arrays = [Tensor(np.arange(9.0) + n, "cuda:0") for n in range(count)]
        return encode(sharing.share({"a": arrays, "b": Array(np.ones(4, "i4"))})).tobytes()

    corpus = [sent(1), sent(3), encode(sharing.share(Array(np.ones(2)))).tobytes()]
    chance, outcomes = random.Random(5), [0, 0]
    for _ in range(3000):
        try:
            read(mutated_frame(corpus, chance))
            outcomes[0] += 1
        except UserError as error:
            assert str(error).isprintable()
            outcomes[1] += 1
    assert min(outcomes) > 100


def test_a_sender_that_nobody_refers_to_any_more_leaves_nothing(device: Path) -> None:
    frame = encode(Sharing().share(Tensor(np.arange(9.0), "cuda:0"))).tobytes()
    gc.collect()
    assert rings(device) == set()
    assert not any(fake_driver.SHARED_MEMORY.glob(f"wirecost-fake-{os.getpid()}-*"))
    with pytest.raises(FrameError, match="knows nothing of"):
        decode(frame)


def test_several_threads_get_a_message_as_it_was_sent_or_lose_it(sharing: Sharing) -> None:
    def send(mine: int) -> set[float]:
        shared = sharing.share(Tensor(np.full(500, float(mine)), "cuda:0"))
        try:
            return set(decode(encode(shared).tobytes(), as_="numpy"))
        except LostError:  # the other threads were quicker by as many messages as there are slots
            return set()

    with ThreadPoolExecutor(4) as pool:
        contents = list(pool.map(send, range(200)))
    assert all(numbers <= {sender} for sender, numbers in enumerate(contents))
    assert sum(map(len, contents)) > SLOTS
