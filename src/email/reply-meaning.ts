import { isAboutSender, senderClass } from './reply-subject.ts';
import type { SmtpErrorClass } from './smtp-error-classes.ts';

/** A negative reply to any command. */
export interface NegativeReply {
  /** Such as `5.7.1`; empty when the reply has none. */
  enhancedCode: string;
  /** What the server wrote, in one line. */
  text: string;
}

/**
 * What a refusal means, regardless of the command: most servers delay refusals of client and sender until RCPT
 * (Postfix: `smtpd_delay_reject`). Specific codes decide first, then known texts. A reply that is only about the sender
 * never means the recipient, whatever its code. Sources: RFC 3463, RFC 4954, RFC 7372, RFC 7505 and IANA's registry of
 * enhanced status codes; the providers' own lists, which redefine some codes.
 * @returns null when neither code nor text is specific: then the command decides
 */
export function meaningOf({ enhancedCode, text }: NegativeReply): SmtpErrorClass | null {
  const code = enhancedCode.slice(2);
  const rule = RULES.find(
    (candidate) => candidate.code?.test(code) !== false && candidate.text?.test(text) !== false,
  );
  if (rule?.means === 'recipient_rejected' && isAboutSender(text)) return senderClass(text);
  return rule?.means ?? null;
}

interface Rule {
  /** Of the enhanced code without its class: subject and detail. */
  code?: RegExp;
  text?: RegExp;
  means: SmtpErrorClass;
}

/** Codes that servers use for all kinds of refusals; empty when there is none. */
const VAGUE = /^$|^(?:0\.0|1\.0|2\.0|3\.[025]|4\.0|5\.[0-4]|6\.0|7\.[0-9]|7\.1\d)$/;

/** The first that fits. */
const RULES: readonly Rule[] = [
  // Codes whose text says more than they do.
  { code: /^1\.\d+$/, text: /\bsender (?:address )?rejected\b/i, means: 'sender_rejected' },
  { code: /^1\.8$/, text: /\bbad outbound sender\b/i, means: 'blocked_by_server' },
  { code: /^2\.0$/, text: /\bSubmissionQuotaExceeded/i, means: 'rate_limited_by_provider' },
  { code: /^2\.1$/, text: /\brelay limit exceeded\b/i, means: 'rate_limited_by_provider' },
  { code: /^2\.1$/, text: /\btoo quickly\b|\bat a rate\b/i, means: 'temporarily_rejected' },
  { code: /^4\.5$/, text: /\bserver busy\b/i, means: 'temporarily_rejected' },
  { code: /^4\.6$/, text: /\bsending activity\b/i, means: 'rate_limited_by_provider' },
  { code: /^7\.2$/, text: /\bmessages from\b/i, means: 'blocked_by_server' },
  { code: /^7\.2\d$/, text: /\bPTR record\b/i, means: 'blocked_by_server' },
  { code: /^7\.27$/, text: /\bnull MX\b/i, means: 'sender_rejected' },
  {
    code: /^3\.2$/,
    text: /\b(?:thread|concurrent).{0,40}\blimit\b/i,
    means: 'rate_limited_by_provider',
  },

  // Codes that say one thing.
  { code: /^(?:1\.90|4\.5|5\.3|7\.28|7\.508|7\.705)$/, means: 'rate_limited_by_provider' },
  // The hourly limit of the recipient, not of the sender.
  { code: /^2\.12[12]$/, means: 'temporarily_rejected' },
  { code: /^1\.[78]$|^2\.252$|^7\.60$/, means: 'sender_rejected' },
  { code: /^1\.(?:[1-69]|10)$|^2\.[14]$|^4\.(?:1|4|310)$/, means: 'recipient_rejected' },
  { code: /^7\.(?:2|505|12\d|13[0-8]|193)$/, means: 'recipient_rejected' },
  { code: /^2\.2$/, means: 'mailbox_full' },
  { code: /^2\.3$|^3\.[34]$|^6\.[1-9]\d*$|^7\.512$/, means: 'message_rejected' },
  { code: /^7\.(?:2[0-467]|3[0-2]|509|515)$/, means: 'sender_unauthenticated' },
  { code: /^7\.(?:54|57|64)$/, means: 'relay_denied' },
  { code: /^7\.(?:10|11|66)$/, means: 'tls_failed' },
  { code: /^7\.13$/, means: 'blocked_by_server' },
  { code: /^7\.5\d\d$/, text: /\bbusy\b/i, means: 'temporarily_rejected' },
  { code: /^7\.(?:25|29|[567]\d\d)$/, means: 'blocked_by_server' },

  // Texts. A sending limit and a full mailbox are both a "quota"; "size exceeds" is neither.
  {
    code: VAGUE,
    text: /\bencryption (?:is )?(?:needed|required)\b|\bmust issue a STARTTLS\b|\bTLS 1\.[01]\b.{0,40}\bnot supported\b/i,
    means: 'tls_failed',
  },
  {
    code: VAGUE,
    text: /\bsize\b.{0,40}\bexceed|\bexceed\w*.{0,40}\bsize\b|\btoo (?:big|large)\b|\blarger than\b/i,
    means: 'message_rejected',
  },
  {
    code: VAGUE,
    text: /\breceiving mail (?:too quickly|at a rate)\b/i,
    means: 'temporarily_rejected',
  },
  // These replies say "rate limited", but the cause is the client.
  { code: VAGUE, text: /\blow reputation\b|\bPTR record\b/i, means: 'blocked_by_server' },
  {
    code: VAGUE,
    text: /\b(?:send|sending|e-?mail|mail|outbound|outgoing|recipients?|messages?|hourly|daily|rate|connection)s? (?:count |rate |thread )?(?:limit|quota)|\blimit on the number\b|\b(?:limit|max\w*)\b.{0,60}\bper (?:minute|hour|day)\b|\bmax(?:imum)? (?:(?:allowed )?number of |sending )?(?:credits|defers|e-?mails|messages?|rate|recipients)\b|\btoo (?:many|much) (?:\w+ ){0,2}(?:messages|recipients|e-?mails?|mail|connections|concurrent|sessions|AUTH commands)|\brate[ -]?limit|\bthrottl|\bsending too fast\b|\bunexpected volume\b|\bunusual (?:rate|sending activity)\b/i,
    means: 'rate_limited_by_provider',
  },
  {
    code: VAGUE,
    text: /\bmailbox\b.{0,60}\bfull\b|\bover[ -]?quota\b|\bquota\b.{0,30}\bexceeded\b|\bexceed\w*.{0,30}\bquota\b|\bout of storage\b|\bmailbox (?:size|storage) limit\b|\bmailbox has exceeded\b/i,
    means: 'mailbox_full',
  },
  {
    code: VAGUE,
    text: /\bgr[ea]y[ -]?list|\bnot yet authori[sz]ed to deliver\b/i,
    means: 'greylisted',
  },
  {
    code: VAGUE,
    text: /\b(?:SPF|DKIM|DMARC)\b|\bsender policy framework\b|\bopenspf\b|\bunauthenticated (?:e-?mail|mail|sender)\b|\banti-?spoofing\b/i,
    means: 'sender_unauthenticated',
  },
  // About the client, although it says that sending is not allowed.
  {
    code: VAGUE,
    text: /\bthe ip you're using\b|\bunauthori[sz]ed ip\b|\bip\b.{0,60}\bnot authori[sz]ed\b|\b(?:account|ip address) is not allowed to send\b/i,
    means: 'blocked_by_server',
  },
  {
    code: VAGUE,
    text: /\bsender (?:address |domain |e-?mail )?(?:is |was )?(?:rejected|refused|denied|not allowed|invalid|unknown|blocked|disabled)|\bsender verif\w+ failed\b|\b(?:not|no) (?:owned by|(?:allowed|permitted|authori[sz]ed|permissions?) to send|permission to send)|\bsendas|\bsend as\b|\b(?:permissions?|allowed|authori[sz]ed|permitted) to send as\b|\bfrom:? address\b.{0,40}\b(?:not|rejected|verified|match)|\bfrom: (?:address|domain)|\bas a from:|\bmail from\b.{0,80}\bnot allowed\b|\bsender\b.{0,60}\b(?:must contain|does ?n[o']t exist|not match|mismatch|not verified)\b|\b(?:domain of sender|sender domain)\b|\b(?:e-?mail )?address is not verified\b|\brelaying disallowed as\b|\bunresolvable\b.{0,20}\bfrom\b/i,
    means: 'sender_rejected',
  },
  {
    code: VAGUE,
    text: /\brelay(?:ing)?\b.{0,60}\b(?:denied|disallowed|not permitted|not allowed|prohibited|refused|not authori[sz]ed)|\b(?:denied|not permitted|not allowed|unable|cannot|can't|do not|don't|prohibited|authori[sz]ed|credentials)\b.{0,40}\brelay|\bauthentication (?:is )?required\b|\bmust (?:be )?authenticate|\bnot authenticated\b|\bfailed to authenticate\b|\bplease (?:log ?in|authenticate)\b|\ballowed rcpthosts\b/i,
    means: 'relay_denied',
  },
  {
    code: VAGUE,
    text: /\bblocked using\b|\bblack[ -]?list|\bblock[ -]?list|\bblocked senders?\b|\b(?:RBL|DNSBL|PDR)\b|spamhaus|spamcop|barracudacentral|\breputation\b|\bclient host\b|\b(?:helo|ehlo)\b|\breverse (?:dns|host ?name|lookup|mapping)|\bPTR\b|\byour (?:ip|host|server|network|address)\b|\byour (?:\w+ ){0,2}account\b|\bsending ip\b|\bip\b.{0,20}\b(?:address|blocked|banned|listed|rejected|reverse)|\bthis ip\b|\bbanned\b|\bipcheck\b|\baccount\b.{0,40}\b(?:sending|outgoing|outbound)\b.{0,20}\b(?:suspended|disabled)|\baccount\b.{0,40}\b(?:for|from) sending\b|\boutgoing mail\b.{0,60}\bsuspended\b|\bconnections? (?:will )?not be accepted\b|\bservice unavailable; (?:client|sender)\b|\baccount outbounds\b|\bmessages from\b.{0,40}\bdeferred\b/i,
    means: 'blocked_by_server',
  },
  {
    code: VAGUE,
    text: /\bspam|\bvirus|\bmalware|\bphish|\bunsolicited\b|\bjunk ?mail\b|\bcontent\b|\bpolicy reasons\b|\bsecurity (?:polic|issue)|\battachment|\bheader\b|\bbare (?:LF|CR|line ?feed)|\bRFC ?5322\b/i,
    means: 'message_rejected',
  },
  {
    code: VAGUE,
    text: /\btemporary (?:lookup|system|local|server)|\blookup failure\b|\bconfiguration error\b|\binsufficient (?:system|disk)|\bqueue file\b|\bspace shortage\b|\btry again later\b|\binternal resources\b|\bcallout\b/i,
    means: 'temporarily_rejected',
  },
  {
    code: VAGUE,
    text: /\b(?:user|recipient|mailbox|address|addressee|account|domain|customer|person)\b.{0,80}\b(?:unknown|unavailable|not (?:be )?found|does ?n[o']t exist|does not have|disabled|inactive|invalid|discontinued|undeliverable|unverified)\b|\b(?:unknown|invalid|bad|no such|no valid) (?:user|recipient|mailbox|address|account|domain|local|person)|\bno (?:mailbox|user|account)\b|\brecipient (?:address )?rejected\b|\bnot a valid (?:recipient|mailbox|user|address)|\bunrout?e?able\b|\bundeliverable\b|\bdoesn'?t have an? \S+ account\b|\bmailbox\b.{0,20}\bnot\b/i,
    means: 'recipient_rejected',
  },
];
