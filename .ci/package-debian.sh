#!/usr/bin/env bash
# Makes two Debian packages, secmon and secmon-mock, from what .ci/package-archive.py left in target/package/content, and writes
# SHA256SUMS anew. Needs dpkg-deb and readelf (packages dpkg and binutils). A package runs on every Debian or Ubuntu whose
# libc is not older than the one that its program was linked with; which one that is stands in Depends. A static program
# depends on nothing.
set -euo pipefail
cd "$(dirname "$0")/.."

results=${CARGO_TARGET_DIR:-target}/package
contents=("$results"/content/secmon-*-linux-*)
if [ ${#contents[@]} -ne 1 ] || [ ! -d "${contents[0]}" ]; then
  echo "run .ci/package-archive.py first, for one platform: ${contents[*]}" >&2
  exit 2
fi
content=${contents[0]}
version=$(basename "$content" | cut -d- -f2)
case $content in
  *-x86_64-*) architecture=amd64 ;;
  *-aarch64-*) architecture=arm64 ;;
  *) echo "no name of Debian's for $content" >&2 && exit 2 ;;
esac
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
# The one address of the project.
contact=$(grep -om1 '[a-z]*@[a-z.]*' SECURITY.md)

package() { # a program, what it is in a line, what it goes well with; its folder has what is only its own
  local name=$1 folder=$work/$1 libc depends=
  install -Dm755 "$content/$name" "$folder/usr/bin/$name"
  install -Dm644 CHANGELOG.md "$folder/usr/share/doc/$name/changelog"
  gzip -9n "$folder/usr/share/doc/$name/changelog"
  { printf 'Copyright: the secmon authors. At your option under one of these licences. NOTICES.gz has those of the crates in it.\n\n'
    cat LICENSE-MIT && printf '\n%s\n\n' "The other one:" && cat LICENSE-APACHE
  } > "$folder/usr/share/doc/$name/copyright"
  chmod 644 "$folder/usr/share/doc/$name/copyright"
  # The licences of what is linked into it, and what that is.
  install -Dm644 "$content/notices/$name.txt" "$folder/usr/share/doc/$name/NOTICES"
  install -Dm644 "$content/sbom/$name.cdx.json" "$folder/usr/share/doc/$name/sbom.cdx.json"
  gzip -9n "$folder/usr/share/doc/$name/NOTICES" "$folder/usr/share/doc/$name/sbom.cdx.json"
  # objdump reads the programs of this computer's processor alone.
  libc=$(readelf --dyn-syms --wide "$content/$name" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1 | cut -d_ -f2) || true
  [ -z "$libc" ] || depends="libc6 (>= $libc), libgcc-s1"
  mkdir -p "$folder/DEBIAN"
  cat > "$folder/DEBIAN/control" <<CONTROL
Package: $name
Version: $version
Architecture: $architecture
Maintainer: The secmon authors <$contact>
Installed-Size: $(du -ks --apparent-size "$folder/usr" | cut -f1)
${depends:+Depends: $depends
}${3:+Recommends: $3
}Section: net
Priority: optional
Description: $2
CONTROL
  dpkg-deb --build --root-owner-group -Zxz "$folder" "$results" >/dev/null
  echo "$results/${name}_${version}_$architecture.deb"
}

umask 022
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for page in "$content"/man/*.1; do
  install -Dm644 "$page" "$work/secmon/usr/share/man/man1/$(basename "$page")"
done
gzip -9n "$work"/secmon/usr/share/man/man1/*.1
install -Dm644 "$content/completions/secmon.bash" "$work/secmon/usr/share/bash-completion/completions/secmon"
install -Dm644 "$content/completions/_secmon" "$work/secmon/usr/share/zsh/vendor-completions/_secmon"
install -Dm644 "$content/completions/secmon.fish" "$work/secmon/usr/share/fish/vendor_completions.d/secmon.fish"
package secmon "command line for a white-label security-monitoring service" ca-certificates
package secmon-mock "stateful mock of a white-label security-monitoring service"
(cd "$results" && sha256sum -- *.tar.gz *.deb > SHA256SUMS)
