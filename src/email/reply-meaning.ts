import type { SmtpErrorClass } from './smtp-error-classes.ts';

/** A reply to MAIL FROM, RCPT TO or DATA. */
export interface MessageReply {
  /** Such as `5.7.1`; empty when the reply has none. */
  enhancedCode: string;
  /** What the server wrote, in one line. */
  text: string;
}

/**
 * What a refusal of a message says, whichever command it answers: most servers keep refusals of the client and of the
 * sender until RCPT (Postfix: `smtpd_delay_reject`). Codes that say one thing decide first, then known texts.
 *
 * Sources: RFC 3463, RFC 7372, RFC 7505 and IANA's registry of enhanced status codes; the providers' own lists of
 * codes, which give some of them another meaning.
 * @returns null when neither says anything: then the command decides
 */
export function meaningOf({ enhancedCode, text }: MessageReply): SmtpErrorClass | null {
  const code = enhancedCode.slice(2);
  const rule = RULES.find(
    (candidate) => candidate.code?.test(code) !== false && candidate.text?.test(text) !== false,
  );
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
  { code: /^2\.1$/, text: /\btoo quickly\b|\bat a rate\b/i, means: 'temporarily_rejected' },
  { code: /^7\.27$/, text: /\bnull MX\b/i, means: 'sender_rejected' },
  {
    code: /^3\.2$/,
    text: /\b(?:thread|concurrent).{0,40}\blimit\b/i,
    means: 'rate_limited_by_provider',
  },

  // Codes that say one thing.
  { code: /^(?:1\.90|2\.122|4\.5|5\.3|7\.28|7\.508|7\.705)$/, means: 'rate_limited_by_provider' },
  { code: /^1\.[78]$|^2\.252$|^7\.60$/, means: 'sender_rejected' },
  { code: /^1\.(?:[1-69]|10)$|^2\.[14]$|^4\.(?:1|4|310)$/, means: 'recipient_rejected' },
  { code: /^7\.(?:2|505|12\d|13[0-8]|193)$/, means: 'recipient_rejected' },
  { code: /^2\.2$/, means: 'mailbox_full' },
  { code: /^2\.3$|^3\.[34]$|^6\.[1-9]\d*$|^7\.512$/, means: 'message_rejected' },
  { code: /^7\.(?:2[0-467]|3[0-2]|509|515)$/, means: 'sender_unauthenticated' },
  { code: /^7\.(?:54|57|64)$/, means: 'relay_denied' },
  { code: /^7\.5\d\d$/, text: /\bbusy\b/i, means: 'temporarily_rejected' },
  { code: /^7\.(?:25|29|[567]\d\d)$/, means: 'blocked_by_server' },

  // Texts. A sending limit and a full mailbox are both a "quota"; "size exceeds" is neither.
  {
    code: VAGUE,
    text: /\bsize\b.{0,40}\bexceed|\bexceed\w*.{0,40}\bsize\b|\btoo (?:big|large)\b|\blarger than\b/i,
    means: 'message_rejected',
  },
  {
    code: VAGUE,
    text: /\b(?:sending|e-?mail|outbound|outgoing|recipients?|messages?|hourly|daily|rate|connection) (?:rate |thread )?(?:limit|quota)|\b(?:limit|max\w*)\b.{0,60}\bper (?:minute|hour|day)\b|\bmax(?:imum)? (?:defers|e-?mails|messages?|recipients)\b|\btoo (?:many|much) (?:messages|recipients|e-?mails?|mail|connections|concurrent|sessions)|\brate[ -]?limit|\bthrottl|\bunexpected volume\b|\bunusual rate\b/i,
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
  {
    code: VAGUE,
    text: /\bsender (?:address |domain |e-?mail )?(?:is |was )?(?:rejected|refused|denied|not allowed|invalid|unknown|blocked|disabled)|\bsender verif\w+ failed\b|\b(?:not|no) (?:owned by|(?:allowed|permitted|authori[sz]ed|permissions?) to send|permission to send)|\bsendas|\bsend as\b|\b(?:permissions?|allowed|authori[sz]ed|permitted) to send as\b|\bfrom:? address\b.{0,40}\b(?:not|rejected|verified|match)|\bmail from\b.{0,80}\bnot allowed\b|\bsender\b.{0,60}\b(?:must contain|does ?n[o']t exist|not match|mismatch|not verified)\b|\b(?:domain of sender|sender domain)\b/i,
    means: 'sender_rejected',
  },
  {
    code: VAGUE,
    text: /\brelay(?:ing)?\b.{0,60}\b(?:denied|disallowed|not permitted|not allowed|prohibited|refused|not authori[sz]ed)|\b(?:denied|not permitted|not allowed|unable|cannot|can't|do not|don't|prohibited|authori[sz]ed|credentials)\b.{0,40}\brelay|\bauthentication (?:is )?required\b|\bmust (?:be )?authenticate|\bnot authenticated\b|\bfailed to authenticate\b|\bplease (?:log ?in|authenticate)\b|\ballowed rcpthosts\b/i,
    means: 'relay_denied',
  },
  {
    code: VAGUE,
    text: /\bblocked using\b|\bblack[ -]?list|\bblock[ -]?list|\bblocked senders?\b|\b(?:RBL|DNSBL|PDR)\b|spamhaus|spamcop|barracudacentral|\breputation\b|\bclient host\b|\b(?:helo|ehlo)\b|\breverse (?:dns|host ?name|lookup|mapping)|\bPTR\b|\byour (?:ip|host|server|network|address)\b|\bsending ip\b|\bip\b.{0,20}\b(?:address|blocked|banned|listed|rejected|reverse)|\bbanned\b|\bipcheck\b|\baccount\b.{0,40}\b(?:sending|outgoing|outbound)\b.{0,20}\b(?:suspended|disabled)|\boutgoing mail\b.{0,60}\bsuspended\b|\bconnections? (?:will )?not be accepted\b|\bservice unavailable; (?:client|sender)\b|\baccount outbounds\b/i,
    means: 'blocked_by_server',
  },
  {
    code: VAGUE,
    text: /\bspam|\bvirus|\bmalware|\bphish|\bunsolicited\b|\bjunk ?mail\b|\bcontent\b|\bpolicy reasons\b|\bsecurity (?:polic|issue)|\battachment|\bheader\b|\bbare (?:LF|CR|line ?feed)|\bRFC ?5322\b/i,
    means: 'message_rejected',
  },
  {
    code: VAGUE,
    text: /\btemporary (?:lookup|system|local|server)|\blookup failure\b|\bconfiguration error\b|\binsufficient (?:system|disk)|\bqueue file\b|\bspace shortage\b|\btry again later\b|\binternal resources\b/i,
    means: 'temporarily_rejected',
  },
  {
    code: VAGUE,
    text: /\b(?:user|recipient|mailbox|address|addressee|account|domain|customer|person)\b.{0,80}\b(?:unknown|unavailable|not (?:be )?found|does ?n[o']t exist|does not have|disabled|inactive|invalid|discontinued|undeliverable|unverified)\b|\b(?:unknown|invalid|bad|no such|no valid) (?:user|recipient|mailbox|address|account|domain|local|person)|\bno (?:mailbox|user|account)\b|\brecipient (?:address )?rejected\b|\bnot a valid (?:recipient|mailbox|user|address)|\bunrout?e?able\b|\bundeliverable\b|\bdoesn'?t have an? \S+ account\b|\bmailbox\b.{0,20}\bnot\b/i,
    means: 'recipient_rejected',
  },
];
