"""A sweep on many machines, by Dask: chunks go to a scheduler's workers, parts come back and are kept here.

    what moves     the definition once a worker; a number a chunk; back a part, compressed as it will lie on the disk
    who writes     this process alone: workers need no shared folder
    what may go    any worker (its chunks are given to others), the scheduler (chunks that are not here are given out
                   again when it is back), this process (the same call goes on)

Whoever reaches a port of a scheduler or a worker can run any program there, as their user: Dask has no passwords. So a
scheduler of our own listens on this machine alone unless told otherwise, and TLS, where both sides show certificates
of one authority, is for all others.
"""

from __future__ import annotations

import atexit
import queue
import re
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from neonsim.errors import BadArgument, MissingPackage, NeonsimError
from neonsim.turns import processors

from .dataset import Dataset, encoded, needs
from .jobs import broken
from .plan import Chunk, Plan
from .supervise import Supervised

__all__ = ["OWN", "Cluster", "run_there"]

OWN = "own"                 # instead of an address: a scheduler in this process
LOOK = 0.2                  # seconds between two looks at Ctrl-C and at the scheduler
COUNT = 5.0                 # seconds between two looks at how many workers there are
AHEAD, LEAST = 3, 8         # chunks given out for each thread of the workers, and at least
TRIES = 3                   # times that a chunk may take its worker with it


@dataclass(frozen=True)
class Cluster:
    """Where the work is done.

    address    "tcp://host:8786", "tls://host:8786", or "own": a scheduler in this process, with a worker
    tls        files: the authority's certificate, one's own certificate, its key
    bind       of one's own: "127.0.0.1", or an address of this machine that others reach
    port       of one's own; 0: any
    patience   seconds to wait for a scheduler and for workers that are not there
    """

    address: str
    tls: tuple[str | Path, str | Path, str | Path] | None = None
    bind: str = "127.0.0.1"
    port: int = 0
    patience: float = 60.0


class _LostError(Exception):
    """The scheduler is gone, and with it whatever it was told."""


def run_there(data: Dataset, where: Cluster, workers: int | None, seconds: float,
              progress: Callable[[int, str], None], say: Callable[[str], None]) -> None:
    """Do what is missing of a data set. Arguments as of `processes.run_here`; workers: threads of one's own cluster.

    say   called with sentences: where the dashboard is, that the scheduler is gone

    Raises BadArgument for a scheduler that does not answer within the patience, wrong certificates, workers that
    refuse, a part that cannot be kept; KeyboardInterrupt. Whole parts are kept, whatever happens.
    """
    needs("distributed")
    tries: dict[int, int] = {}
    with ExitStack() as stack:
        address = where.address
        if address == OWN:
            address = stack.enter_context(_own(where, workers))
            say(f"scheduler {address}{'' if _alone(where.bind) else ': whoever reaches it can run programs here'}")
        first = True
        while True:
            with _client(address, where, data) as client:
                say(_dashboard(client) if first else f"the scheduler at {address} is back")
                first = False
                try:
                    _drive(client, data, where, seconds, progress, tries)
                    return
                except _LostError:
                    say(f"the scheduler at {address} is gone; waiting for it")


def _dashboard(client: Any) -> str:
    try:
        needs("bokeh")
        return f"dashboard {client.dashboard_link}"
    except MissingPackage:
        return f"dashboard {client.dashboard_link} (with pages where the scheduler has bokeh: pip install bokeh)"


def _alone(host: str) -> bool:
    return host in ("127.0.0.1", "::1", "localhost")


def _security(where: Cluster) -> Any:
    if where.tls is None:
        if where.address.startswith("tls:"):
            raise BadArgument(f"{where.address} wants certificates: --tls CA,CERT,KEY, or tls= with three files.")
        return None
    for path in where.tls:
        if not Path(path).is_file():
            raise BadArgument(f"there is no file {path}: TLS wants the authority's certificate, one's own and its key.")
    authority, mine, key = map(str, where.tls)
    try:
        # Dask would look at them when it connects, again and again. An encrypted key is refused, not asked for.
        ssl.create_default_context(cafile=authority).load_cert_chain(mine, key, password=lambda: "")
        return needs("distributed").Security(
            require_encryption=True, tls_ca_file=authority, tls_client_cert=mine, tls_client_key=key,
            tls_scheduler_cert=mine, tls_scheduler_key=key, tls_worker_cert=mine, tls_worker_key=key)
    except (OSError, ValueError, TypeError) as why:
        raise BadArgument(f"TLS cannot be set up from {authority}, {mine} and {key}: {why}.") from None


@contextmanager
def _own(where: Cluster, workers: int | None) -> Iterator[str]:
    """A scheduler and a worker in this process; its address."""
    distributed = needs("distributed")
    security = _security(where)
    try:
        # Jobs are done by processes of their own (`supervise`), so one worker with threads is enough.
        cluster = distributed.LocalCluster(
            n_workers=1, threads_per_worker=workers or processors(), processes=False, host=where.bind,
            scheduler_port=where.port, protocol="tls://" if security else "tcp://", security=security,
            dashboard_address=f"{where.bind}:0", worker_dashboard_address=None, silence_logs=50)
    except (OSError, ValueError, RuntimeError) as why:
        raise BadArgument(f"no scheduler can be started at {where.bind}, port {where.port}: {_reason(why)}.") from None
    with cluster:
        yield str(cluster.scheduler_address)


def _reason(why: BaseException) -> str:
    last: BaseException = why
    while last.__cause__ is not None:
        last = last.__cause__
    return (str(last) or type(last).__name__).splitlines()[0].rstrip(".")


@contextmanager
def _client(address: str, where: Cluster, data: Dataset) -> Iterator[Any]:
    distributed, security = needs("distributed"), _security(where)
    if not re.fullmatch(r"((tcp|tls)://)?(\[[\da-fA-F:.%]+\]|[\w.-]+):\d{1,5}", address):
        raise BadArgument(f"{address} is no address of a scheduler: tcp://host:8786, or tls://host:8786 with "
                          "certificates.")
    try:
        client = distributed.Client(address, security=security, timeout=where.patience, set_as_default=False,
                                    name="neonsim-sweep")
    except (OSError, TimeoutError) as why:
        raise BadArgument(f"no scheduler answers at {address} within {where.patience:g} s ({_reason(why)}). Start one "
                          f"(dask scheduler), or leave --scheduler out.{_kept(data)}") from None
    except (ValueError, TypeError, RuntimeError) as why:
        raise BadArgument(f"the scheduler at {address} cannot be used: {_reason(why)}.{_kept(data)}") from None
    try:
        yield client
    finally:
        with suppress(Exception):       # it may be gone
            client.close(timeout=2)


def _kept(data: Dataset) -> str:
    there = data.rows_there()
    return f" {there:,} of {len(data.plan):,} rows are kept, and the same command goes on." if there else ""


# ---- here -----------------------------------------------------------------------------------------------------------

def _drive(client: Any, data: Dataset, where: Cluster, seconds: float, progress: Callable[[int, str], None],
           tries: dict[int, int]) -> None:
    """Give out chunks, never many at a time, and keep what comes."""
    plan, missing = data.plan, data.missing()
    came: queue.Queue[Any] = queue.Queue()
    flying: dict[str, tuple[Any, Chunk]] = {}
    definition = client.submit(_same, plan.to_dict(), key=f"neonsim-{plan.identity}")
    room, looked, waited = 0, 0.0, time.monotonic()

    def give(chunk: Chunk) -> None:
        # The same key for the same chunk: a scheduler that has it already does not do it twice.
        key = f"neonsim-{plan.identity}-{chunk.number}-{tries.get(chunk.number, 0)}"
        future = client.submit(_part, definition, chunk.number, seconds, key=key, pure=True)
        flying[key] = future, chunk
        future.add_done_callback(came.put)

    try:
        while True:
            if time.monotonic() - looked > COUNT:
                looked, room = time.monotonic(), _threads(client)
                if room:
                    waited = looked
                elif looked - waited > where.patience:
                    raise BadArgument(f"the scheduler at {where.address} has no workers: start some (dask worker "
                                      f"{where.address}).{_kept(data)}")
            while len(flying) < max(AHEAD * room, LEAST) and (chunk := next(missing, None)) is not None:
                give(chunk)
            if not flying:
                return
            try:
                future = came.get(timeout=LOOK)
            except queue.Empty:
                if client.status != "running":
                    raise _LostError from None
                continue
            _, chunk = flying.pop(future.key)
            part = _result(client, future, data, chunk, tries)
            if part is None:
                give(chunk)
            else:
                data.add(chunk, part)
                progress(chunk.end - chunk.first, "")
    finally:
        with suppress(Exception):       # those that nobody waits for any more
            client.cancel([future for future, _ in flying.values()], force=True)


def _threads(client: Any) -> int:
    try:
        return sum(client.nthreads().values())
    except (OSError, TimeoutError):
        raise _LostError from None


def _result(client: Any, future: Any, data: Dataset, chunk: Chunk, tries: dict[int, int]) -> bytes | None:
    """A chunk's part; None if it is to be given out again."""
    distributed = needs("distributed")
    if future.status in ("cancelled", "lost"):
        raise _LostError
    try:
        part: bytes = future.result(timeout=60)
        return part
    except distributed.KilledWorker as why:
        tries[chunk.number] = tries.get(chunk.number, 0) + 1
        if tries[chunk.number] < TRIES:
            return None
        jobs = [data.plan.job(number) for number in range(chunk.first, chunk.end)]
        told = f"workers that were given its chunk died, {TRIES} times: {_reason(why)}"
        return encoded(data.plan, chunk, [broken(job, "error", told[:300], 0.0) for job in jobs])
    except NeonsimError as why:
        raise BadArgument(f"a worker refuses: {why}") from None
    except ImportError as why:
        raise BadArgument(f"the workers cannot do the work: {_reason(why)}. Each needs neonsim[sweep] "
                          f"{data.plan.version}.") from None
    except (distributed.CancelledError, OSError, TimeoutError):
        raise _LostError from None
    except Exception as why:
        raise BadArgument(f"chunk {chunk.number} cannot be done by a worker: {type(why).__name__}: "
                          f"{_reason(why)}.") from None


# ---- on a worker ----------------------------------------------------------------------------------------------------

_idle: dict[tuple[str, float], list[Supervised]] = {}       # processes of sweeps that wait for the next chunk
_turn = threading.Lock()


def _same(said: dict[str, Any]) -> dict[str, Any]:
    """The definition, as a result of its own: it is sent to each worker once, and made again where it is lost."""
    return said


def _part(said: dict[str, Any], number: int, seconds: float) -> bytes:
    """The part of a chunk, done by a process of this worker."""
    plan = Plan.from_dict(said)
    key = plan.identity, seconds
    with _turn:
        hand = _idle[key].pop() if _idle.get(key) else Supervised(plan, seconds)
    try:
        chunk = plan.chunk_of(number)
        part = encoded(plan, chunk, hand.run(chunk))
    except BaseException:
        hand.stop()
        raise
    with _turn:
        _idle.setdefault(key, []).append(hand)
    return part


@atexit.register
def _rest() -> None:
    for hands in _idle.values():
        for hand in hands:
            hand.stop()
