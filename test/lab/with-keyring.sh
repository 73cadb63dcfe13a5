#!/usr/bin/env bash
# with-keyring.sh [--locked | --no-service | --no-bus] [--keep DIR] [--] COMMAND [ARGS...]
# Runs a command in a private D-Bus session with its own gnome-keyring: unlocked (default), locked, absent, or without any bus.
# Home and XDG folders are thrown away afterwards; --keep DIR uses the same ones over several runs. Works as root and as a user,
# without X, systemd or PAM. With Xvfb: keyring outside, `xvfb-run -a` inside, so that all of it ends together.
# The command gets HOME, XDG_*, DBUS_SESSION_BUS_ADDRESS, KEYRING_PID, KEYRING_DIR, KEYRING_BUS_PID.
# Exit code: the command's; 97 when the lab itself did not come up.
set -u

fail() { echo "with-keyring: $*" >&2; exit 97; }

mode=unlocked keep=
while [ $# -gt 0 ]; do
  case $1 in
    --locked) mode=locked; shift ;;
    --no-service) mode=noservice; shift ;;
    --no-bus) mode=nobus; shift ;;
    --keep) [ $# -ge 2 ] || fail '--keep needs a folder'; keep=$2; shift 2 ;;
    --) shift; break ;;
    -*) fail "unknown option $1" ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || fail 'usage: with-keyring.sh [--locked|--no-service|--no-bus] [--keep DIR] [--] COMMAND [ARGS...]'

# The path stays short: a unix socket's may have 107 bytes.
lab=${keep:-$(mktemp -d "${TMPDIR:-/tmp}/kr.XXXXXX")}
mkdir -p "$lab"/{home,run,data/keyrings,config,cache,state} || fail "cannot write to $lab"
chmod 700 "$lab" "$lab/run" "$lab/data/keyrings"
export HOME=$lab/home XDG_RUNTIME_DIR=$lab/run XDG_DATA_HOME=$lab/data XDG_CONFIG_HOME=$lab/config
export XDG_CACHE_HOME=$lab/cache XDG_STATE_HOME=$lab/state XDG_CURRENT_DESKTOP=GNOME KEYRING_DIR=$lab/data/keyrings
unset DBUS_SESSION_BUS_ADDRESS GNOME_KEYRING_CONTROL SSH_AUTH_SOCK WAYLAND_DISPLAY

bus= keyring= command=

wait_gone() { # PID: true once the process (or with -PID the group) is gone, false after two seconds
  local i
  for i in $(seq 40); do kill -0 -- "$1" 2>/dev/null || return 0; sleep .05; done
  return 1
}

cleanup() {
  trap - EXIT
  if [ -n "$command" ]; then # the whole group: xvfb-run, Xvfb, electron
    kill -- "-$command" 2>/dev/null
    wait_gone "-$command" || kill -9 -- "-$command" 2>/dev/null
  fi
  local pid
  for pid in $keyring $bus; do kill "$pid" 2>/dev/null; done
  for pid in $keyring $bus; do wait_gone "$pid" || kill -9 "$pid" 2>/dev/null; done
  [ -n "$keep" ] || rm -rf "$lab"
}
trap cleanup EXIT
trap 'exit 143' TERM
trap 'exit 130' INT
trap 'exit 129' HUP

start_bus() {
  # No service folders: nothing can be activated on demand, so no second daemon and no prompt window appears.
  cat >"$lab/bus.conf" <<XML
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><keep_umask/><listen>unix:path=$lab/run/bus</listen><auth>EXTERNAL</auth>
<policy context="default"><allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/></policy>
</busconfig>
XML
  rm -f "$lab/run/bus"
  dbus-daemon --config-file="$lab/bus.conf" --nofork --nopidfile --nosyslog >"$lab/bus.log" 2>&1 &
  bus=$!
  local i
  for i in $(seq 250); do [ -S "$lab/run/bus" ] && break; sleep .02; done
  [ -S "$lab/run/bus" ] || { cat "$lab/bus.log" >&2; fail 'the bus did not come up'; }
  export DBUS_SESSION_BUS_ADDRESS="unix:path=$lab/run/bus"
}

secrets() { dbus-send --session --print-reply=literal --dest=org.freedesktop.secrets /org/freedesktop/secrets "$@" 2>/dev/null; }

start_keyring() {
  # The default collection is named beforehand, else the first secret asks a person to make one.
  printf login >"$KEYRING_DIR/default"
  # No newline after the password: it would be part of it. --unlock makes the login keyring on first use and opens it.
  (umask 077; printf %s "${KEYRING_PASSWORD:-lab-only-password}" >"$lab/password")
  gnome-keyring-daemon --foreground --components=secrets --unlock <"$lab/password" >"$lab/keyring.log" 2>&1 &
  keyring=$!
  local i up=
  for i in $(seq 500); do # owning the name is not enough: ready means that the default collection answers
    case $(secrets org.freedesktop.Secret.Service.ReadAlias string:default) in *"/collection/"*) up=1; break ;; esac
    kill -0 $keyring 2>/dev/null || break
    sleep .02
  done
  rm -f "$lab/password"
  [ -n "$up" ] || { cat "$lab/keyring.log" >&2; fail 'the keyring did not come up'; }
}

if [ $mode = nobus ]; then export DBUS_SESSION_BUS_ADDRESS="unix:path=$lab/run/none"; else start_bus; fi
case $mode in unlocked | locked) start_keyring ;; esac
if [ $mode = locked ]; then # the same running daemon, as when a screen is locked
  secrets org.freedesktop.Secret.Service.Lock array:objpath:/org/freedesktop/secrets/collection/login >/dev/null ||
    fail 'the keyring could not be locked'
fi
export KEYRING_PID=$keyring KEYRING_BUS_PID=$bus
setsid "$@" <&0 &
command=$!
wait $command
exit $?
