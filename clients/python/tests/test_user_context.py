"""The user of calls across awaits, tasks, threads and generators."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from typing import Any, Iterator, List, Optional

from assay._user_context import AsUser, current_context


def _user() -> Optional[str]:
    return current_context().user


def test_is_left_at_its_end_and_by_an_error() -> None:
    assert _user() is None
    with AsUser("ada"):
        assert _user() == "ada"
        try:
            with AsUser("bob"):
                assert _user() == "bob"
                raise KeyError
        except KeyError:
            pass
        assert _user() == "ada"
        with AsUser(None):
            assert _user() is None
    assert _user() is None


def test_may_be_entered_again_inside_itself() -> None:
    ada = AsUser("ada")
    with ada, AsUser("bob"), ada:
        assert _user() == "ada"
    assert _user() is None


def test_goes_with_awaits_and_tasks_and_keeps_them_apart() -> None:
    async def work(user: str, barrier: asyncio.Event) -> Optional[str]:
        async with AsUser(user):
            await barrier.wait()
            return _user()

    async def main() -> List[Any]:
        barrier = asyncio.Event()
        tasks = [asyncio.ensure_future(work(user, barrier)) for user in ("ada", "bob")]
        with AsUser("eve"):
            started = asyncio.ensure_future(asyncio.sleep(0, None))
            inside = asyncio.ensure_future(_later())
        await started
        barrier.set()
        return [*await asyncio.gather(*tasks), await inside, _user()]

    async def _later() -> Optional[str]:
        await asyncio.sleep(0)
        return _user()

    assert asyncio.run(main()) == ["ada", "bob", "eve", None]


def test_a_new_thread_begins_without_a_user() -> None:
    seen: List[Optional[str]] = []
    with AsUser("ada"):
        thread = threading.Thread(target=lambda: seen.append(_user()))
        thread.start()
        thread.join()
    assert seen == [None]


def test_is_left_in_another_context_without_an_error() -> None:
    def generate() -> Iterator[Optional[str]]:
        with AsUser("ada"):
            yield _user()

    other = contextvars.copy_context()
    generator = generate()
    assert other.run(next, generator) == "ada"
    with AsUser("bob"):
        # It was entered in the other context, so this one does not change.
        generator.close()
        assert _user() == "bob"
    assert _user() is None
