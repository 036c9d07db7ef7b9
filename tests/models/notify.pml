/* The notify protocol of src/exec/notify.cc, with everything that may go wrong between two of its steps: recorders that
 * die, a deadline that passes at any moment, a waiter that takes what another was woken for. It exists because such
 * interleavings are too rare for tests and too many for thought; spin visits all of them. README.md has the mapping.
 * Mutants (-D…) break one rule each and must be found. */

#ifndef WAITERS
#define WAITERS 2
#endif
#ifndef RECORDS
#define RECORDS 1 /* of the first recorder; the second records once */
#endif
#ifndef ROUNDS
#define ROUNDS 1 /* waits of the first waiter; the others wait once */
#endif
#define LAST (WAITERS - 1) /* the waiter whose deadline may pass */

#define CLEAR 0
#define SET 1
#define SEQUENCES 4 /* a ticket that is still held somewhere must not come up again */
#define PARKED(i, s) (2 + (i) * SEQUENCES + (s))
#define IS_PARKED(w) ((w) >= 2)

#define NONE 0
#define SIGNALLED 1
#define TIMEOUT 2

byte word = CLEAR;
bit rung, doorbell;

/* The scheduler's side of a waiter: a ticket is good for one resume. */
byte sequence[WAITERS];
bit alive[WAITERS];     /* Suspend() was called, the ticket is not used up */
bit published[WAITERS]; /* the stream is parked */
byte code[WAITERS];
bit queued_up[WAITERS];
bit finished[WAITERS];
bit passed; /* the deadline of waiter LAST */

/* The owner's queue of second and later waiters. */
bit mutex;
byte queued;
chan queue = [WAITERS] of { byte, byte };

/* What really happened, kept apart from the word. */
byte effective, consumed, successes;

#define LOCK atomic { mutex == 0 -> mutex = 1 }
#define UNLOCK mutex = 0
#define ASLEEP(i) (published[i] && code[i] == NONE)
#define TRUTH ((word == SET) == (effective == consumed + 1) && consumed <= effective)

inline Resume(i, s, c) {
  d_step {
    if
    :: alive[i] && sequence[i] == s && code[i] == NONE -> code[i] = c
    :: else
    fi
  }
}

/* A process may be killed here. */
#define MAY_DIE if :: true :: goto dead fi

proctype Recorder(byte records) {
  byte old;
  bit was_set, reported;
  do
  :: records == 0 -> break
  :: else ->
    MAY_DIE;
    d_step { /* the exchange */
      records--;
      was_set = (effective == consumed + 1);
      old = word;
      word = SET;
      if
      :: was_set
      :: else -> effective++
      fi;
      assert(TRUTH)
    }
    MAY_DIE;
    if
    :: old == SET -> reported = 1
    :: IS_PARKED(old) ->
      rung = 1;
      MAY_DIE;
      doorbell = 1
    :: else
    fi;
    d_step { assert(reported == was_set); old = 0; was_set = 0; reported = 0 }
  od;
dead:
  skip;
  d_step { old = 0; was_set = 0; reported = 0; records = 0 }
}

/* The first waiter is done; the next one looks for itself. */
inline WakeNext() {
#ifndef MUTANT_NO_WAKE_NEXT
  if
  :: queued == 0
  :: else ->
    LOCK;
    if
    :: nempty(queue) ->
      d_step { queue ? next, next_sequence; queued--; queued_up[next] = 0 }
      UNLOCK;
      Resume(next, next_sequence, SIGNALLED)
    :: empty(queue) -> UNLOCK
    fi
  fi;
  d_step { next = 0; next_sequence = 0 }
#else
  skip
#endif
}

proctype Waiter(byte me, rounds) {
  byte took, next, next_sequence, reason;
again:
  atomic { /* compare-exchange set -> clear */
    if
    :: word == SET -> word = CLEAR; consumed++; took++; assert(TRUTH); goto taken
    :: else
    fi
  }
  d_step { sequence[me] = (sequence[me] + 1) % SEQUENCES; alive[me] = 1; code[me] = NONE }
  atomic { /* compare-exchange clear -> parked */
    if
    :: word == CLEAR -> word = PARKED(me, sequence[me]); goto sleep
    :: word == SET -> alive[me] = 0; goto again
    :: else
    fi
  }
  LOCK;
  queued++;
  if
#ifndef MUTANT_NO_SECOND_LOOK
  :: !IS_PARKED(word) -> queued--; UNLOCK; alive[me] = 0; goto again
#endif
  :: else -> d_step { queue ! me, sequence[me]; queued_up[me] = 1 }; UNLOCK
  fi;
sleep:
  published[me] = 1;
end_asleep: /* for ever, when nobody records and no deadline passes */
  d_step {
    code[me] != NONE -> reason = code[me]; alive[me] = 0; published[me] = 0
  }
  if
  :: reason == SIGNALLED -> goto again
  :: reason == TIMEOUT -> assert(took == 0)
  fi;
  WakeNext();
  goto done;
taken:
  assert(took == 1);
  successes++;
  assert(successes <= effective);
  WakeNext();
done:
  skip;
  d_step { took = 0; reason = NONE; rounds-- }
  if
  :: rounds > 0 -> goto again
  :: else -> finished[me] = 1
  fi
}

/* The owner's thread that sleeps on the doorbell and wakes up now and then by itself. The ticket is read before the word:
 * a ticket that slept before the word was seen set is not in the word any more. The other way round a waiter that has
 * just parked could be woken while the word still names it, and would then queue behind itself. */
inline Look() {
  at = 0;
  do
  :: at < WAITERS ->
#ifdef MUTANT_WORD_BEFORE_TICKET
    if
    :: word == SET ->
      if
      :: atomic { ASLEEP(at) && !queued_up[at] -> seen = sequence[at] }
        Resume(at, seen, SIGNALLED)
      :: else
      fi
    :: else
    fi;
#else
    if
    :: atomic { ASLEEP(at) && !queued_up[at] -> seen = sequence[at] }
      if
      :: word == SET -> Resume(at, seen, SIGNALLED)
      :: else
      fi
    :: else
    fi;
#endif
    d_step { seen = 0; at++ }
  :: else -> break
  od;
  at = 0
}

#define SOMEBODY_WAITS ((ASLEEP(0) && !queued_up[0]) || (ASLEEP(1) && !queued_up[1]) || \
                        (ASLEEP(LAST) && !queued_up[LAST]))

proctype Owner() {
  byte at, seen;
end_idle:
  do
  :: doorbell ->
    doorbell = 0;
    if
    :: rung -> rung = 0; Look()
    :: else
    fi
#ifndef MUTANT_TRUSTS_RUNG
  :: word == SET && SOMEBODY_WAITS -> Look() /* a tick; those that find nothing change nothing */
#endif
  od
}

/* Ends the wait of waiter LAST at any moment, or never. */
proctype Deadline() {
  byte mine;
  bit is_over;
  if
  :: passed = 1
  :: goto end_never
  fi;
end_waiting:
  do
  :: atomic { ASLEEP(LAST) && !is_over -> mine = sequence[LAST] }
#ifdef MUTANT_PLAIN_STORE
    word = CLEAR;
    Resume(LAST, mine, TIMEOUT)
#else
    atomic { /* compare-exchange parked -> clear */
      if
      :: word == PARKED(LAST, mine) -> word = CLEAR; goto cancelled
      :: else
      fi
    }
    LOCK;
    if
    :: queue ?? [eval(LAST), eval(mine)] ->
      d_step { queue ?? eval(LAST), eval(mine); queued--; queued_up[LAST] = 0 }
      UNLOCK;
      goto cancelled
    :: else -> UNLOCK
    fi;
    if
    :: word == SET -> Resume(LAST, mine, SIGNALLED)
    :: else ->
      /* What this waiter was to be woken for went to another, and its recorder may be dead: nobody else ends it. */
#ifdef MUTANT_CANCEL_GIVES_UP
      is_over = 1
#else
      goto cancelled
#endif
    fi;
    goto end_waiting;
cancelled:
    Resume(LAST, mine, TIMEOUT)
#endif
  od;
end_never:
  skip
}

/* Looks when nothing else can move any more. */
proctype AtTheEnd() {
  byte who;
end_running:
  timeout;
  assert(TRUTH);
  assert(mutex == 0);
  do
  :: who < WAITERS ->
    assert(finished[who] || word != SET);
    assert(who != LAST || finished[who] || !passed);
    who++
  :: else -> break
  od
}

init {
  atomic {
    byte who = 0;
    run Recorder(RECORDS);
    run Recorder(1);
    do
    :: who < WAITERS -> run Waiter(who, (who == 0 -> ROUNDS : 1)); who++
    :: else -> break
    od;
    who = 0;
    run Owner();
    run Deadline();
    run AtTheEnd()
  }
}

#ifdef LIVENESS
/* Also finds those that run in circles and never come to an end. */
ltl wakes { [] ((word == SET && ASLEEP(0)) -> <> (word != SET || !ASLEEP(0))) }
#endif
