/** Why a message could not be sent; callers may branch on it. */
export const SMTP_ERROR_CLASSES = [
  /** The name does not resolve to an allowed address: unknown, private or blocked, deliberately not distinguished. */
  'dns_error',
  'port_not_allowed',
  'connection_refused',
  'connection_closed',
  'timeout',
  'tls_mode_mismatch',
  'tls_untrusted',
  'tls_hostname_mismatch',
  'tls_failed',
  'starttls_unavailable',
  'not_smtp',
  'blocked_by_server',
  'server_busy',
  'auth_unavailable',
  'auth_failed',
  'auth_temporarily_failed',
  'sender_rejected',
  /** The check of SPF, DKIM or DMARC failed. */
  'sender_unauthenticated',
  'relay_denied',
  'recipient_rejected',
  'mailbox_full',
  'greylisted',
  'rate_limited_by_provider',
  'message_rejected',
  'temporarily_rejected',
  'failed',
] as const;
export type SmtpErrorClass = (typeof SMTP_ERROR_CLASSES)[number];
