import { type HostileCase, httpCase } from '../support/hostile-request.ts'

const BODY = '{"name":"Smuggled"}'
const CHUNKED = `13\r\n${BODY}\r\n0\r\n\r\n`
const MEBIBYTE = 1024 * 1024

/** Returns a request with this request line, and with `fields` after the usual header fields. */
function line(name: string, text: string, expected: string, fields = ''): HostileCase {
  const head = `${text}\r\nHost: store\r\nConnection: close\r\nX-Request-Id: {id}\r\n${fields}\r\n`
  return { name, head, expected }
}

function field(name: string, fields: string, expected: string): HostileCase {
  return line(name, 'GET /pets HTTP/1.1', expected, fields)
}

/** Returns a POST with these header fields, which determine its framing. */
function framed(
  name: string,
  fields: string,
  expected: string,
  body: string | Uint8Array = BODY,
): HostileCase {
  const allFields = `Authorization: Bearer {key}\r\nContent-Type: application/json\r\n${fields}`
  return { ...line(name, 'POST /categories HTTP/1.1', expected, allFields), body }
}

function chunks(name: string, body: string, expected = '400'): HostileCase {
  return framed(name, 'Transfer-Encoding: chunked\r\n', expected, body)
}

/** Returns a request of exactly this text. */
function whole(name: string, head: string, expected: string): HostileCase {
  return { name, head, expected }
}

// If the third word of a request line is not HTTP/1.0 or HTTP/1.1, the response is 505 (RFC 9110, section 15.6.6). A
// control character in the line also gets 505. The preface of HTTP/2 gets 400.
const lines: readonly HostileCase[] = [
  line('a request line without a version', 'GET /pets', '505'),
  line('HTTP/2.0 in a request line', 'GET /pets HTTP/2.0', '505'),
  line('HTTP/1.2', 'GET /pets HTTP/1.2', '505'),
  line('a protocol that is not HTTP', 'GET /pets HTTQ/1.1', '505'),
  line('http in lower case', 'GET /pets http/1.1', '505'),
  line('a space inside the target', 'GET /pets x HTTP/1.1', '505'),
  line('tabs between the words of the request line', 'GET\t/pets\tHTTP/1.1', '505'),
  line('two spaces before the target', 'GET  /pets HTTP/1.1', '400'),
  line('a space before the method', ' GET /pets HTTP/1.1', '400'),
  line('a target without a slash', 'GET pets HTTP/1.1', '400'),
  line('an empty target', 'GET  HTTP/1.1', '400'),
  line('an asterisk as the target of a GET', 'GET * HTTP/1.1', '400'),
  line('an absolute target of another scheme', 'GET ftp://store/pets HTTP/1.1', '400'),
  line('U+0000 in the target', 'GET /pe\0ts HTTP/1.1', '505'),
  line('a control character in the target', 'GET /pe\x01ts HTTP/1.1', '505'),
  line('U+0000 in the method', 'G\0T /pets HTTP/1.1', '505'),
  // The runtime replaces the byte with U+FFFD before the service can refuse the request.
  line('a raw byte in the query that is not UTF-8', 'GET /pets?name=\xff HTTP/1.1', '200'),
  line('the target of a CONNECT', 'CONNECT store:443 HTTP/1.1', '404 route_not_found'),
  whole('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '400'),
  whole('the first bytes of TLS', `\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03${'\x07'.repeat(160)}`, '400'),
  whole('lines that end with carriage returns only', 'GET /pets HTTP/1.1\rHost: x\r\r', '505'),
  whole('lines that end with line feeds only', 'GET /pets HTTP/1.1\nHost: x\n\n', '505'),
]

const fields: readonly HostileCase[] = [
  whole('no Host', 'GET /pets HTTP/1.1\r\nConnection: close\r\n\r\n', '400'),
  field('a second Host', 'Host: other\r\n', '400 invalid_parameter: Host invalid_format'),
  whole(
    'a Host with a path',
    'GET /pets HTTP/1.1\r\nHost: a/keys\r\nConnection: close\r\n\r\n',
    '400 invalid_parameter: Host invalid_format',
  ),
  whole(
    'a Host with a query',
    'GET /pets HTTP/1.1\r\nHost: a?limit=0&x=\r\nConnection: close\r\n\r\n',
    '400 invalid_parameter: Host invalid_format',
  ),
  whole(
    'a Host with a fragment',
    'GET /pets HTTP/1.1\r\nHost: a#\r\nConnection: close\r\n\r\n',
    '400 invalid_parameter: Host invalid_format',
  ),
  field('a line that is not a header field', 'Nonsense\r\n', '400'),
  field('a space before the colon', 'X-Colour : red\r\n', '400'),
  field('a space inside a field name', 'X Colour: red\r\n', '400'),
  field('an empty field name', ': red\r\n', '400'),
  field('a folded field', 'X-Colour: red\r\n and blue\r\n', '400'),
  field('U+0000 in a field', 'X-Colour: re\0d\r\n', '400'),
  field('U+0000 in a field name', 'X\0Colour: red\r\n', '400'),
  field('a control character in a field', 'X-Colour: re\x01d\r\n', '400'),
  field('a lone carriage return in a field', 'X-Colour: red\rX: y\r\n', '400'),
  field('a byte above ASCII in a field name', 'X\xe9: red\r\n', '400'),
  field('200 fields', 'X-Colour: red\r\n'.repeat(200), '431'),
  field('a field of 17 KiB', `X-Colour: ${'r'.repeat(17 * 1024)}\r\n`, '431'),
  field('fields of 17 KiB together', `X-Colour: ${'r'.repeat(1014)}\r\n`.repeat(17), '431'),
  line('a target of 17 KiB', `GET /pets?name=${'n'.repeat(17 * 1024)} HTTP/1.1`, '431'),
]

const framing: readonly HostileCase[] = [
  framed(
    'Content-Length, then Transfer-Encoding',
    'Content-Length: 19\r\nTransfer-Encoding: chunked\r\n',
    '400',
    CHUNKED,
  ),
  framed(
    'Transfer-Encoding, then Content-Length',
    'Transfer-Encoding: chunked\r\nContent-Length: 19\r\n',
    '400',
    CHUNKED,
  ),
  framed('two Content-Lengths that differ', 'Content-Length: 19\r\nContent-Length: 5\r\n', '400'),
  framed('a list of Content-Lengths that differ', 'Content-Length: 19, 5\r\n', '400'),
  framed('a negative Content-Length', 'Content-Length: -19\r\n', '400'),
  framed('a Content-Length with a plus', 'Content-Length: +19\r\n', '400'),
  framed('a Content-Length in hex', 'Content-Length: 0x13\r\n', '400'),
  framed('a Content-Length as a word', 'Content-Length: nineteen\r\n', '400'),
  framed('an empty Content-Length', 'Content-Length: \r\n', '400'),
  framed('a Content-Length with a fraction', 'Content-Length: 19.0\r\n', '400'),
  framed('a Content-Length that wraps to 19 in 64 bits', 'Content-Length: 18446744073709551635\r\n', '400'),
  framed('Transfer-Encoding gzip', 'Transfer-Encoding: gzip\r\n', '400'),
  framed('Transfer-Encoding identity', 'Transfer-Encoding: identity\r\nContent-Length: 19\r\n', '400'),
  framed('Transfer-Encoding gzip, chunked', 'Transfer-Encoding: gzip, chunked\r\n', '400', CHUNKED),
  framed('Transfer-Encoding chunked, identity', 'Transfer-Encoding: chunked, identity\r\n', '400', CHUNKED),
  framed('Transfer-Encoding chunked twice', 'Transfer-Encoding: chunked\r\n'.repeat(2), '400', CHUNKED),
  framed('Transfer-Encoding xchunked', 'Transfer-Encoding: xchunked\r\n', '400', CHUNKED),
  framed('Transfer-Encoding in quotes', 'Transfer-Encoding: "chunked"\r\n', '400', CHUNKED),
  framed('Transfer-Encoding after a vertical tab', 'Transfer-Encoding: \x0bchunked\r\n', '400', CHUNKED),
  framed(
    'Transfer-Encoding with a space before its colon',
    'Transfer-Encoding : chunked\r\n',
    '400',
    CHUNKED,
  ),
  framed('Transfer-Encoding in a folded field', 'Transfer-Encoding:\r\n chunked\r\n', '400', CHUNKED),
  chunks('a chunk size in words', `zz\r\n${BODY}\r\n0\r\n\r\n`),
  chunks('an empty chunk size', `\r\n${BODY}\r\n0\r\n\r\n`),
  chunks('a negative chunk size', `-13\r\n${BODY}\r\n0\r\n\r\n`),
  chunks('a chunk size with 0x', `0x13\r\n${BODY}\r\n0\r\n\r\n`),
  chunks('a chunk size with a plus', `+13\r\n${BODY}\r\n0\r\n\r\n`),
  chunks('a chunk size of 2^64 - 1', `ffffffffffffffff\r\n${BODY}\r\n0\r\n\r\n`),
  chunks('a chunk size that wraps to 19 in 64 bits', `10000000000000013\r\n${BODY}\r\n0\r\n\r\n`),
  chunks('a chunk that is longer than its size', `12\r\n${BODY}\r\n0\r\n\r\n`),
  chunks('a chunk without its line end', `13\r\n${BODY}0\r\n\r\n`),
  chunks('chunk lines that end with line feeds only', `13\n${BODY}\n0\n\n`),
  chunks('a line feed inside a chunk extension', `13;a\nb\r\n${BODY}\r\n0\r\n\r\n`),
  { ...chunks('chunks that never end', `13\r\n${BODY}\r\n`, 'closed'), ends: true },
  { ...framed('a truncated body', 'Content-Length: 100\r\n', 'closed'), ends: true },
  { ...whole('a truncated header block', 'GET /pets HTTP/1.1\r\nHost: sto', 'closed'), ends: true },
]

const sizes: readonly HostileCase[] = [
  framed(
    'a body of more than 8 MiB',
    `Content-Length: ${8 * MEBIBYTE + 1}\r\n`,
    '413',
    new Uint8Array(8 * MEBIBYTE + 1),
  ),
  framed('a Content-Length of 1 TiB', 'Content-Length: 1099511627776\r\n', '413', ''),
  framed(
    'a body of 1 MiB and a byte',
    `Content-Length: ${MEBIBYTE + 1}\r\n`,
    '413 body_too_large',
    'x'.repeat(MEBIBYTE + 1),
  ),
  framed('a body of 1 MiB', `Content-Length: ${MEBIBYTE}\r\n`, '400 malformed_json', 'x'.repeat(MEBIBYTE)),
  chunks(
    'a chunk of 1 MiB and a byte',
    `100001\r\n${'x'.repeat(MEBIBYTE + 1)}\r\n0\r\n\r\n`,
    '413 body_too_large',
  ),
  chunks(
    '1 MiB and a byte in small chunks',
    `${`800\r\n${'x'.repeat(2048)}\r\n`.repeat(512)}1\r\nx\r\n0\r\n\r\n`,
    '413 body_too_large',
  ),
  httpCase('a URL of 8 KiB and a character', `GET /pets?name=${'n'.repeat(8182)}`, '414 url_too_long'),
  httpCase('a path of 8 KiB and a character', `GET /pets/${'1'.repeat(8187)}`, '414 url_too_long'),
  httpCase('a URL of 8 KiB', `GET /pets?name=${'n'.repeat(8181)}`, '400 invalid_parameter: name too_long'),
]

/** Requests with unusual methods. The runtime closes the connection if it does not know the method. */
const methods: readonly HostileCase[] = [
  ...['PURGE', 'TRACE', 'PROPFIND', 'MKCOL', 'CONNECT'].map(method =>
    httpCase(`the method ${method}`, `${method} /pets`, '405 method_not_allowed', {
      responseHeaders: { allow: 'GET, HEAD, OPTIONS, POST' },
    }),
  ),
  line('the method BREW', 'BREW /pets HTTP/1.1', 'closed'),
  line('a method in lower case', 'get /pets HTTP/1.1', 'closed'),
  line('a method of 300 letters', `${'M'.repeat(300)} /pets HTTP/1.1`, 'closed'),
]

export const wireCases: readonly HostileCase[] = [...lines, ...fields, ...framing, ...sizes, ...methods]
