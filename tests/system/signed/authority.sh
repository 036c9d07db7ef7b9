# Sourced: an authority in $KEYS and the certificates that it gives out, made by openssl's own commands.
# shellcheck shell=bash

# authority <name>: $KEYS/<name>.{key,pem}, self-signed, and an empty list of what it gave out.
authority() {
  mkdir -p "$KEYS/$1"
  : >"$KEYS/$1/index"
  echo 01 >"$KEYS/$1/serial"
  echo 01 >"$KEYS/$1/crlnumber"
  cat >"$KEYS/$1.cnf" <<CONFIG
[req]
distinguished_name = name
[name]
[ca]
default_ca = authority
[authority]
database = $KEYS/$1/index
serial = $KEYS/$1/serial
crlnumber = $KEYS/$1/crlnumber
new_certs_dir = $KEYS/$1
default_md = sha256
default_days = 2
default_crl_days = 2
policy = policy
x509_extensions = code_signing
[policy]
commonName = supplied
[self]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign, cRLSign
[code_signing]
basicConstraints = CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = codeSigning
CONFIG
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj "/CN=$1" -config "$KEYS/$1.cnf" \
    -extensions self -keyout "$KEYS/$1.key" -out "$KEYS/$1.pem" >"$KEYS/log" 2>&1
}

# gives <authority> <name> <ec|rsa> [options of openssl ca]: $KEYS/<name>.{key,pem}, for signing code
gives() {
  local by=$1 name=$2 key=(-newkey rsa:2048)
  [ "$3" = rsa ] || key=(-newkey ec -pkeyopt ec_paramgen_curve:P-256)
  shift 3
  openssl req -new "${key[@]}" -nodes -subj "/CN=$name" -config "$KEYS/$by.cnf" -keyout "$KEYS/$name.key" \
    -out "$KEYS/$name.csr" >>"$KEYS/log" 2>&1 && ask "$by" -in "$KEYS/$name.csr" -out "$KEYS/$name.pem" "$@"
}

# ask <authority> <options of openssl ca>
ask() {
  local by=$1
  shift
  openssl ca -batch -notext -config "$KEYS/$by.cnf" -cert "$KEYS/$by.pem" -keyfile "$KEYS/$by.key" "$@" \
    >>"$KEYS/log" 2>&1
}
