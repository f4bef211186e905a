#!/usr/bin/env bash
# Builds the image of Containerfile by buildah, on a base that is made of this machine's Node where BASE names none, and runs it
# as the image says, as user 10001 on a read-only root: it serves, is healthy, keeps its data, stops at SIGTERM, and is small
# enough. Needs root, buildah and the package registry. INSTALLATION names an existing installation for production
# already: it replaces the build stage.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

maxMegabytes=250
work="$(mktemp -d)"
export BUILDAH_ISOLATION=chroot STORAGE_DRIVER=overlay
storage=(--root "$work/storage" --runroot "$work/run")
cleanup() {
  [ -z "${service:-}" ] || kill -KILL "$service" 2>/dev/null || true
  umount -R "$work/root" 2>/dev/null || true
  b rm --all >/dev/null 2>&1 || true
  umount "$work/storage/overlay" 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT
b() { buildah "${storage[@]}" "$@"; }

# Programs of this machine with the libraries that they are linked to.
install_program() {
  local root="$1" program
  shift
  for program in "$@"; do
    for file in "$program" $(ldd "$program" 2>/dev/null | grep -o '/[^ ]*'); do
      mkdir -p "$root$(dirname "$file")" && cp -L "$file" "$root$file"
    done
  done
}

make_base() {
  local root="$work/base" node
  node="$(readlink -f "$(command -v node)")"
  mkdir -p "$root"/{tmp,usr/bin,usr/lib,bin,etc/ssl/certs,root,proc,sys,dev,usr/local/lib/node_modules}
  chmod 1777 "$root/tmp"
  echo 'root:x:0:0:root:/root:/bin/sh' >"$root/etc/passwd"
  # With a shell, which initdb of the embedded database runs, and with all of the C library.
  install_program "$root" "$node" /bin/sh /lib/*-linux-gnu/lib{rt,pthread,dl,m,resolv,nss_dns,nss_files}.so.?
  [ -e "$root/usr/bin/node" ] || cp "$root$node" "$root/usr/bin/node"
  [ ! -e /etc/ssl/certs/ca-certificates.crt ] || cp -L /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
  b from --quiet --name base scratch >/dev/null
  b config --env PATH=/usr/local/bin:/usr/bin:/bin --env NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt base
  b add --quiet base "$root" / >/dev/null
  b commit --quiet base localhost/base >/dev/null
  # The stage that builds has npm and a few programs more.
  install_program "$root" /usr/bin/{env,mkdir,cp,chown,chmod,cat,uname}
  cp -a "$(dirname "$node")/../lib/node_modules/npm" "$root/usr/local/lib/node_modules/"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$root/usr/local/npm" && mkdir -p "$root/usr/local/bin"
  mv "$root/usr/local/npm" "$root/usr/local/bin/npm"
  b add --quiet base "$root" / >/dev/null
  b commit --quiet --rm base localhost/build-base >/dev/null
}

bases=(--build-arg "BASE=${BASE:-localhost/base}")
if [ -z "${BASE:-}" ]; then
  make_base
  bases+=(--build-arg BUILD_BASE=localhost/build-base)
fi
if [ -n "${INSTALLATION:-}" ]; then
  mkdir -p "$work/build"/{etc,data,installation}
  echo 'taskgate:x:10001:10001::/data:/nonexistent' >"$work/build/etc/passwd"
  (cd "$INSTALLATION" && cp -al package.json node_modules dist packages prisma "$work/build/installation/")
  bases+=(--build-context "build=$work/build")
fi
b build --quiet --format docker --network host "${bases[@]}" --volume "${npm_config_cache:-$HOME/.npm}:/root/.npm" -t taskgate . >/dev/null

image="$(b from --quiet taskgate)"
mounted="$(b mount "$image")"
megabytes="$(du -sm "$mounted/app" | cut -f1)"
echo "the image has $megabytes MB beside its base"
[ "$megabytes" -lt "$maxMegabytes" ]

# As a container has it: the image read-only, a volume for the data, nothing else.
mkdir -p "$work/root" "$work/data" "$mounted/proc" "$mounted/dev"
chown 10001:10001 "$work/data"
mount --bind "$mounted" "$work/root"
mount -o remount,bind,ro "$work/root"
mount --bind "$work/data" "$work/root/data"
mount --bind /dev "$work/root/dev"

in_image() {
  (cd / && exec env -i PATH=/usr/local/bin:/usr/bin:/bin NODE_ENV=production METRICS_PORT=9464 DATA_DIR=/data HOST=127.0.0.1 PORT=0 \
    MAIL_TO_FILES=on SESSION_SECRET=a-secret-of-this-test-alone \
    "$(command -v unshare)" --pid --fork --kill-child --mount --mount-proc=/proc \
    --setuid 10001 --setgid 10001 --root "$work/root" --wd /app "$@")
}
start() {
  in_image node --enable-source-maps dist/src/process/main.js >"$work/out" 2>"$work/log" &
  service=$!
  for _ in $(seq 600); do
    if grep -q '^Taskgate ready' "$work/out"; then return; fi
    if ! kill -0 "$service" 2>/dev/null; then break; fi
    sleep 0.1
  done
  cat "$work/log"
  exit 1
}
stop() {
  kill -TERM "$(pgrep -P "$(pgrep -P "$service")")"
  wait "$service"
  service=
}
health() { in_image node -e "$(sed -n 's/.*CMD \["node", "-e", "\(.*\)"\]$/\1/p' Containerfile)"; }

start
health
stop
if health 2>/dev/null; then echo 'healthy without a service'; exit 1; fi
start
stop
echo 'the image starts, is healthy, stops at SIGTERM and starts again'
