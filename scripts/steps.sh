# Steps of the two commands (quickstart.sh, test.sh): sourced, not run. The caller sets REPO, LOG and STEPS, and NAME
# for its messages. Steps print one line each; what a step's command prints goes to the log and is shown only when it
# fails.
STEP=0

fail() {
  echo "$NAME: error: $*" >&2
  exit 1
}

# now: milliseconds.
now() {
  date +%s%3N
}

begin() {
  STEP=$((STEP + 1))
  STARTED=$(now)
  printf '[%d/%d] %s ...' "$STEP" "$STEPS" "$1"
}

end() {
  local ms=$(($(now) - STARTED))
  printf ' %d.%d s\n' $((ms / 1000)) $((ms % 1000 / 100))
}

# quiet <what> <command...>: one step whose output matters only when it fails.
quiet() {
  local what=$1
  shift
  begin "$what"
  printf '\n== %s: %s\n' "$what" "$*" >>"$LOG"
  local mark
  mark=$(wc -l <"$LOG")
  # In a condition, bash would ignore that a step of a function fails and go on with the next one.
  local status=0
  set +e
  (set -e; "$@") >>"$LOG" 2>&1
  status=$?
  set -e
  if [ "$status" -ne 0 ]; then
    echo " failed"
    tail -n +"$mark" "$LOG" | tail -n 60 >&2
    fail "$what failed; the last lines are above, everything is in $LOG"
  fi
  end
}

# missing_packages <list>...: those of the lists that are not installed.
missing_packages() {
  local package
  cat "$@" | while read -r package; do
    case "$package" in '' | '#'*) continue ;; esac
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || echo "$package"
  done
}

# The lists of a fresh container are empty, so a failed installation is tried once more after an update.
apt_install() {
  # sudo resets the environment, so the variable is set behind it.
  local apt=(env DEBIAN_FRONTEND=noninteractive apt-get)
  [ "$(id -u)" -eq 0 ] || apt=(sudo -n "${apt[@]}")
  "${apt[@]}" install -y --no-install-recommends "$@" ||
    { "${apt[@]}" update && "${apt[@]}" install -y --no-install-recommends "$@"; }
}

# install_packages <list>...: installs what is missing; one step.
install_packages() {
  local missing
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "[packages] this is no Debian; make sure that you have what $* list"
    STEP=$((STEP + 1))
    return
  fi
  missing=$(missing_packages "$@" | paste -sd' ')
  if [ -z "$missing" ]; then
    begin "packages: all there"
    end
    return
  fi
  if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
    fail "packages are missing and there is neither root nor sudo; let root run: apt-get install $missing"
  fi
  if [ "$(id -u)" -ne 0 ] && ! sudo -n true 2>/dev/null; then
    fail "packages are missing and sudo would ask for a password; run this first: sudo apt-get install $missing"
  fi
  # shellcheck disable=SC2086  # a list of words
  quiet "installing packages: $missing" apt_install $missing
}
