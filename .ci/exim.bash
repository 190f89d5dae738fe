# Exim as a second SMTP server of other people, sourced by .ci/peers.bash. Debian's packages of Exim and Postfix
# exclude each other, so the daemon is unpacked into the folder of the peers and not installed; only its libraries are.
#
# Any name at $exim_domain can sign in with the shared password. Mail for ada, reader and busy is delivered into
# folders that tests read. All refusals are Exim's own words, except those that its administrators write.

exim_libraries=(libcrypt1 libdb5.3 libgnutls-dane0 libgnutls30 libidn12 libidn2-0 libnsl2 libpcre2-8-0)
exim_domain=exim.example
# Debian's binary asks for it by this name.
exim_user=Debian-exim

exim_pid() { peer_pid exim "$exim_dir/exim.pid"; }

unpack_exim() {
  exim_binary="$exim_dir/package/usr/sbin/exim4"
  install_packages "${exim_libraries[@]}"
  if ! getent passwd "$exim_user" >/dev/null; then
    useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin "$exim_user"
  fi
  if [ -x "$exim_binary" ]; then return; fi
  say 'unpacking exim4-daemon-light'
  (
    cd "$scratch"
    apt-get -q download exim4-daemon-light || { apt-get -q update && apt-get -q download exim4-daemon-light; }
    dpkg-deb --extract exim4-daemon-light_*.deb "$exim_dir/package"
  ) >&2 || die 'Exim could not be unpacked'
  # It is to run as its own user, not as root.
  chmod u-s "$exim_binary"
}

start_exim() {
  if [ -n "$(exim_pid)" ]; then return; fi
  install -d -m 755 "$exim_dir"
  unpack_exim
  local port part
  port="$(own_port exim "$((32000 + 0x${checkout_hash:0:4} % 500))")"
  for part in spool log mail; do install -d -o "$exim_user" -g "$exim_user" -m 755 "$exim_dir/$part"; done
  install -o "$exim_user" -m 600 "$dir/peers.key" "$exim_dir/peers.key"
  (umask 077 && write_exim_settings "$port" >"$exim_dir/exim.conf")
  chown "$exim_user" "$exim_dir/exim.conf"
  # In the folder of the pid, which the daemon writes itself.
  chown "$exim_user" "$exim_dir"
  (cd "$exim_dir" && runuser -u "$exim_user" -- "$exim_binary" -C "$exim_dir/exim.conf" -bd -q1m 9>&- >&2) ||
    die "Exim did not start: $(tail -n 20 "$exim_dir/log/"*log 2>/dev/null)"
  wait_until port_is_taken "$port" || die "Exim does not answer: $(tail -n 20 "$exim_dir/log/mainlog")"
  say "Exim on port $port (STARTTLS)"
}

write_exim_settings() { # port
  local password
  password="$(cat "$dir/mail-password")"
  cat <<SETTINGS
exim_path = $exim_binary
exim_user = $exim_user
exim_group = $exim_user
deliver_drop_privilege = true
spool_directory = $exim_dir/spool
log_file_path = $exim_dir/log/%slog
pid_file_path = $exim_dir/exim.pid
primary_hostname = $exim_domain
local_interfaces = 127.0.0.1
daemon_smtp_ports = $1
host_lookup =
keep_environment =
tls_advertise_hosts = *
tls_certificate = $dir/peers.pem
tls_privatekey = $exim_dir/peers.key
auth_advertise_hosts = \${if eq{\$tls_in_cipher}{}{}{*}}
message_size_limit = $mail_limit
domainlist local_domains = $exim_domain
acl_smtp_rcpt = check_rcpt
acl_smtp_data = check_data

begin acl
# Sender and client are refused at RCPT, as in Debian's own configuration.
check_rcpt:
  require verify = sender
  deny    condition = \${if eq{\$authenticated_id}{suspended@$exim_domain}}
  require message = relay not permitted
          domains = +local_domains
  require verify = recipient
  # A table that is not there: Exim cannot decide now.
  require condition = \${if !eq{\$local_part}{undecided}{yes}{\${lookup{ada}lsearch{$exim_dir/missing}}}}
  # The first attempt of each sender and recipient has to come again after two seconds.
  defer   local_parts = ^greylisted-
          message = \$sender_host_address is not yet authorized to deliver mail from <\$sender_address> to <\$local_part@\$domain>. Please try later.
          !seen = -2s / key=\$sender_address-\$local_part
  # What hosters write.
  deny    condition = \${if eq{\$authenticated_id}{busy@$exim_domain}}
          ratelimit = 2 / 1h / per_rcpt / strict / \$authenticated_id
          message = Domain $exim_domain has exceeded the max emails per hour (2/2 (100%)) allowed. Message discarded.
  accept  authenticated = *
  deny    message = authentication required
check_data:
  deny    condition = \${if eq{\$h_subject:}{forbidden}}
  accept

begin routers
full:
  driver = redirect
  domains = +local_domains
  local_parts = full
  allow_fail
  data = :fail: 552 5.2.2 Mailbox is full
new_senders_wait:
  driver = redirect
  domains = +local_domains
  local_parts = ^greylisted-
  data = reader@$exim_domain
mailbox:
  driver = accept
  domains = +local_domains
  local_parts = ada : busy : reader : suspended : undecided
  transport = maildir

begin transports
maildir:
  driver = appendfile
  directory = $exim_dir/mail/\${local_part_data}
  maildir_format
  user = $exim_user
  mode = 0644
  directory_mode = 0755

begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_condition = \${if eq{\$auth3}{$password}}
  server_set_id = \$auth2
login:
  driver = plaintext
  public_name = LOGIN
  server_prompts = Username:: : Password::
  server_condition = \${if eq{\$auth2}{$password}}
  server_set_id = \$auth1
SETTINGS
}

print_exim() {
  printf 'export TEST_EXIM_URL="smtp://%s:%s@localhost:%s/?limit=%s&mail=%s"\n' \
    "ada%40$exim_domain" "$(cat "$dir/mail-password")" "$(cat "$dir/exim-port")" "$mail_limit" "$exim_dir/mail"
}
