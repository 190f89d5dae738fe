# Third-party servers as peers of Millrace, sourced by .ci/services: Dovecot for IMAP and POP3, Postfix and Exim for SMTP, and
# nginx with a Debian manual for the web. Postfix delivers mail into the mailboxes that Dovecot serves; none leaves.
#
# Any name at $mail_domain can sign in with the shared password and has its own mailbox, so that tests do not
# interfere. Postfix accepts mail only for $mail_reader, so that there are recipients that it refuses. It relays mail for
# $late_domain to a second door of its own, which refuses it, so that Postfix and Exim return it to its sender.

peer_packages=(dovecot-imapd dovecot-pop3d postfix nginx-light developers-reference openssl)
peer_pages=/usr/share/developers-reference
mail_domain=peer.example
mail_reader="reader@$mail_domain"
late_domain=late.example
# Enough for every test message except the one that must be too large.
mail_limit=200000

source "$checkout/.ci/exim.bash"

set_peer_folders() {
  exim_dir="$dir/exim" dovecot_dir="$dir/dovecot" postfix_dir="$dir/postfix" nginx_dir="$dir/nginx" mail_dir="$dir/mail"
  # Millrace uses implicit TLS only on ports 465 and 2465, so each folder has its own address to avoid conflicts.
  local hash
  hash="$(printf '%s' "$dir" | sha256sum | cut -c1-6)"
  tls_address="127.$((1 + 0x${hash:0:2} % 254)).$((0x${hash:2:2})).$((1 + 0x${hash:4:2} % 254))"
}

# The process id in a file if it belongs to our server, not to a process that reused the id.
peer_pid() { # name file
  local pid folder="$dir/$1"
  pid="$(cat "$2" 2>/dev/null | tr -d ' \n' || true)"
  if [ -z "$pid" ] || [ ! -d "/proc/$pid" ]; then return; fi
  case "$(readlink "/proc/$pid/cwd" 2>/dev/null || true) $(tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null || true)" in
    *"$folder"*) printf '%s' "$pid" ;;
  esac
}
dovecot_pid() { peer_pid dovecot "$dovecot_dir/run/master.pid"; }
postfix_pid() { peer_pid postfix "$postfix_dir/queue/pid/master.pid"; }
nginx_pid() { peer_pid nginx "$nginx_dir/nginx.pid"; }
is_gone() { [ -z "$("$1_pid")" ]; }

stop_peer() { # name
  local pid
  pid="$("$1_pid")"
  if [ -z "$pid" ]; then return; fi
  kill -TERM "$pid"
  wait_until is_gone "$1" || die "$1 (process $pid) did not stop in 30 s"
  say "$1 stopped"
}

stop_peers() {
  stop_peer nginx
  stop_peer exim
  stop_peer postfix
  stop_peer dovecot
}

prepare_peers() {
  if [ ! -s "$dir/mail-password" ]; then
    (umask 077 && od -An -N16 -tx1 /dev/urandom | tr -d ' \n' >"$dir/mail-password")
  fi
  install -d -o mail -g mail -m 700 "$mail_dir"
  # The certificate is its own authority: clients are told to trust it with NODE_EXTRA_CA_CERTS.
  if ! openssl x509 -checkend 86400 -in "$dir/peers.pem" >/dev/null 2>&1; then
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 365 -subj '/CN=localhost' \
      -addext "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:$tls_address" \
      -keyout "$dir/peers.key" -out "$dir/peers.pem" 2>/dev/null || die 'openssl made no certificate'
    chmod 600 "$dir/peers.key"
  fi
}

# ---- Dovecot --------------------------------------------------------------------------------------------------

start_dovecot() {
  if [ -n "$(dovecot_pid)" ]; then return; fi
  local imaps imap pop3s pop3
  imaps="$(own_port imaps "$((28000 + 0x${checkout_hash:0:4} % 1000))")"
  imap="$(own_port imap "$((29000 + 0x${checkout_hash:0:4} % 1000))")"
  pop3s="$(own_port pop3s "$((26000 + 0x${checkout_hash:0:4} % 1000))")"
  pop3="$(own_port pop3 "$((27000 + 0x${checkout_hash:0:4} % 1000))")"
  install -d -m 755 "$dovecot_dir" "$postfix_dir"
  cat >"$dovecot_dir/dovecot.conf" <<SETTINGS
base_dir = $dovecot_dir/run
state_dir = $dovecot_dir/state
log_path = $dovecot_dir/dovecot.log
instance_name = millrace-$checkout_hash
protocols = imap pop3
listen = 127.0.0.1
ssl = required
ssl_cert = <$dir/peers.pem
ssl_key = <$dir/peers.key
disable_plaintext_auth = yes
auth_mechanisms = plain login
# Answer a wrong password without delay.
auth_failure_delay = 0
service anvil {
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
mail_location = maildir:$mail_dir/%u
mail_uid = mail
mail_gid = mail
first_valid_uid = 1
mail_max_userip_connections = 50
passdb {
  driver = static
  args = password=$(cat "$dir/mail-password")
}
userdb {
  driver = static
  args = uid=mail gid=mail home=$mail_dir/%u
}
namespace inbox {
  inbox = yes
  separator = /
  mailbox Trash {
    auto = create
    special_use = \Trash
  }
}
service imap-login {
  inet_listener imap {
    port = $imap
  }
  inet_listener imaps {
    port = $imaps
    ssl = yes
  }
}
service pop3-login {
  inet_listener pop3 {
    port = $pop3
  }
  inet_listener pop3s {
    port = $pop3s
    ssl = yes
  }
}
service auth {
  unix_listener $postfix_dir/auth {
    mode = 0600
    user = postfix
  }
}
SETTINGS
  chmod 600 "$dovecot_dir/dovecot.conf"
  (cd "$dovecot_dir" && dovecot -c "$dovecot_dir/dovecot.conf" 9>&- >&2) ||
    die "Dovecot did not start: $(tail -n 20 "$dovecot_dir/dovecot.log")"
  wait_until port_is_taken "$imaps" || die "Dovecot does not answer: $(tail -n 20 "$dovecot_dir/dovecot.log")"
  say "Dovecot on ports $imaps (IMAP, TLS), $imap (IMAP, STARTTLS), $pop3s (POP3, TLS) and $pop3 (POP3, STLS)"
}

# ---- Postfix --------------------------------------------------------------------------------------------------

start_postfix() {
  if [ -n "$(postfix_pid)" ]; then return; fi
  local port late
  late="$(own_port late "$((25000 + 0x${checkout_hash:0:4} % 1000))")"
  port="$(own_port smtp "$((30000 + 0x${checkout_hash:0:4} % 1000))")"
  install -d -m 755 "$postfix_dir" "$postfix_dir/config" "$postfix_dir/queue"
  install -d -o postfix -m 700 "$postfix_dir/data"
  cat >"$postfix_dir/config/main.cf" <<SETTINGS
compatibility_level = 3.6
queue_directory = $postfix_dir/queue
data_directory = $postfix_dir/data
maillog_file = $postfix_dir/postfix.log
maillog_file_prefixes = $postfix_dir
myhostname = $mail_domain
mydestination =
mynetworks =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
# No mail leaves this machine.
relayhost =
default_transport = error:5.7.1 mail for other domains is not sent from here
relay_transport = error:5.7.1 mail for other domains is not sent from here
# Mail for this domain is accepted, and refused by the second door when it is delivered.
transport_maps = inline:{ $late_domain=smtp:[127.0.0.1]:$late }
virtual_mailbox_domains = $mail_domain
virtual_mailbox_base = $mail_dir
virtual_mailbox_maps = inline:{ $mail_reader=$mail_reader/ }
virtual_uid_maps = static:$(id -u mail)
virtual_gid_maps = static:$(id -g mail)
virtual_minimum_uid = 1
alias_maps =
alias_database =
message_size_limit = $mail_limit
mailbox_size_limit = 0
virtual_mailbox_limit = 0
smtpd_tls_cert_file = $dir/peers.pem
smtpd_tls_key_file = $dir/peers.key
smtpd_tls_auth_only = yes
smtpd_sasl_auth_enable = yes
smtpd_sasl_type = dovecot
smtpd_sasl_path = $postfix_dir/auth
smtpd_relay_restrictions = permit_sasl_authenticated, reject
# Only its own user may send as this address. Refused at RCPT, as Postfix does by default.
smtpd_sender_login_maps = inline:{ colleague@$mail_domain=colleague@$mail_domain }
smtpd_sender_restrictions = reject_known_sender_login_mismatch
smtpd_recipient_restrictions = reject_unlisted_recipient, permit_sasl_authenticated, reject
# Refuse without delay, because the tests provoke many refusals in a row.
smtpd_error_sleep_time = 0
smtpd_client_connection_count_limit = 0
SETTINGS
  cat >"$postfix_dir/config/master.cf" <<SERVICES
127.0.0.1:$port inet n - n - - smtpd
  -o smtpd_tls_security_level=encrypt
$tls_address:2465 inet n - n - - smtpd
  -o smtpd_tls_wrappermode=yes
127.0.0.1:$late inet n - n - - smtpd
  -o smtpd_sasl_auth_enable=no
  -o { smtpd_recipient_restrictions = check_recipient_access inline:{ { full@$late_domain = 552 5.2.2 The mailbox is full }, { quarrel@$late_domain = 550 5.7.1 Refused by policy }, { $late_domain = 550 5.1.1 User unknown } }, reject }
  -o smtpd_relay_restrictions=
  -o smtpd_sender_restrictions=
smtp      unix - - n - - smtp
cleanup   unix n - n - 0 cleanup
qmgr      unix n - n 300 1 qmgr
tlsmgr    unix - - n 1000? 1 tlsmgr
rewrite   unix - - n - - trivial-rewrite
bounce    unix - - n - 0 bounce
defer     unix - - n - 0 bounce
trace     unix - - n - 0 bounce
error     unix - - n - - error
retry     unix - - n - - error
virtual   unix - n n - - virtual
anvil     unix - - n - 1 anvil
scache    unix - - n - 1 scache
proxymap  unix - - n - - proxymap
postlog   unix-dgram n - n - 1 postlogd
SERVICES
  postfix -c "$postfix_dir/config" start 9>&- >&2 || die "Postfix did not start: $(tail -n 20 "$postfix_dir/postfix.log")"
  wait_until port_is_taken "$port" || die "Postfix does not answer: $(tail -n 20 "$postfix_dir/postfix.log")"
  say "Postfix on port $port (STARTTLS) and on $tls_address:2465 (TLS)"
}

# ---- nginx ----------------------------------------------------------------------------------------------------

start_nginx() {
  if [ -n "$(nginx_pid)" ]; then return; fi
  local port
  port="$(own_port web "$((31000 + 0x${checkout_hash:0:4} % 1000))")"
  install -d -o www-data -g www-data -m 755 "$nginx_dir"
  cat >"$nginx_dir/nginx.conf" <<SETTINGS
pid $nginx_dir/nginx.pid;
error_log $nginx_dir/error.log;
worker_processes 1;
events {}
http {
  include /etc/nginx/mime.types;
  access_log off;
  gzip on;
  client_body_temp_path $nginx_dir/body;
  proxy_temp_path $nginx_dir/proxy;
  fastcgi_temp_path $nginx_dir/fastcgi;
  uwsgi_temp_path $nginx_dir/uwsgi;
  scgi_temp_path $nginx_dir/scgi;
  server {
    listen 127.0.0.1:$port;
    root $peer_pages;
    location = /robots.txt {
      default_type text/plain;
      return 200 "User-agent: *\nDisallow: /l10n.html\n";
    }
  }
}
SETTINGS
  (cd / && runuser -u www-data -- nginx -e "$nginx_dir/error.log" -c "$nginx_dir/nginx.conf" 9>&- >&2) ||
    die "nginx did not start: $(tail -n 20 "$nginx_dir/error.log")"
  wait_until port_is_taken "$port" || die "nginx does not answer: $(tail -n 20 "$nginx_dir/error.log")"
  say "nginx on port $port"
}

print_peers() {
  local password
  password="$(cat "$dir/mail-password")"
  printf 'export TEST_IMAP_URL="imaps://%s:%s@localhost:%s/?starttls=%s"\n' \
    "${mail_reader/@/%40}" "$password" "$(cat "$dir/imaps-port")" "$(cat "$dir/imap-port")"
  printf 'export TEST_POP3_URL="pop3s://%s:%s@localhost:%s/?starttls=%s"\n' \
    "${mail_reader/@/%40}" "$password" "$(cat "$dir/pop3s-port")" "$(cat "$dir/pop3-port")"
  printf 'export TEST_SMTP_URL="smtp://%s:%s@localhost:%s/?tls=%s&limit=%s"\n' \
    "${mail_reader/@/%40}" "$password" "$(cat "$dir/smtp-port")" "$tls_address:2465" "$mail_limit"
  printf 'export TEST_WEB_URL="http://localhost:%s/?folder=%s"\n' "$(cat "$dir/web-port")" "$peer_pages"
  printf 'export NODE_EXTRA_CA_CERTS="%s"\n' "$dir/peers.pem"
}

peers() {
  prepare_folder
  install_packages "${peer_packages[@]}"
  prepare_peers
  start_dovecot
  start_postfix
  start_exim
  start_nginx
  print_peers
  print_exim
}
