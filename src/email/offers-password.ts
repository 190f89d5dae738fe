/** Password methods that nodemailer supports. */
const PASSWORD_SIGN_IN = /^(?:PLAIN|LOGIN|CRAM-MD5)$/i;

/** Checks the EHLO reply, because nodemailer would try AUTH even if it is not offered. */
export function offersPassword(ehlo: string | false): boolean {
  const lines = ehlo === false ? [] : ehlo.split('\n');
  return lines.some((line) => {
    const offer = /^250[ -]AUTH[ =](.*)$/i.exec(line.trim());
    return offer?.[1]?.split(/[ =]/).some((method) => PASSWORD_SIGN_IN.test(method)) ?? false;
  });
}
