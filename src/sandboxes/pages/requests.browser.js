// The script of the requests in a lesson: a student edits and sends each one. The host serves this file unchanged.

const SHOWN_CHARS_MAX = 20_000
/** A stream of events never ends: this is how long its start is read. */
const READ_MS_MAX = 5000
const basePath = location.pathname.replace(/\/docs\/guide\/lesson$/, '')
const controlPath = basePath.replace(/\/s\/([^/]+)$/, '/sandboxes/$1')
// The console stores its key under this name. All pages of a host share its storages.
const storageName = `petstore-key ${basePath}`
const textsName = `petstore-lesson ${basePath}`
const keyForm = document.getElementById('key-form')
const keyStatus = document.getElementById('key-status')
/** What a browser sends: fetch fails with other characters, which a key never has. */
const KEY = /^[!-~]+$/
let key = storedKey()

// The key

function stored(storage, name) {
  try {
    return storage.getItem(name)
  } catch {
    return null
  }
}

function store(storage, name, value) {
  try {
    storage.setItem(name, value)
  } catch {
    // Without storage, the next page has nothing of this one.
  }
}

function storedKey() {
  const fragment = new URLSearchParams(location.hash.slice(1)).get('key')
  if (fragment !== null) {
    history.replaceState(null, '', location.pathname)
    // A phone loads a page again that was in the background.
    store(sessionStorage, storageName, fragment)
  }
  const known = fragment ?? stored(sessionStorage, storageName) ?? stored(localStorage, storageName) ?? ''
  return KEY.test(known) ? known : ''
}

function askForKey(text) {
  if (text !== '') keyStatus.textContent = text
  keyForm.hidden = false
}

keyForm.addEventListener('submit', event => {
  event.preventDefault()
  const given = document.getElementById('key').value.replaceAll(/\s/g, '')
  if (!KEY.test(given))
    return askForKey('This is not a key: a key has only letters, digits and underscores. Copy it again.')
  key = given
  store(sessionStorage, storageName, key)
  keyStatus.textContent = ''
  keyForm.hidden = true
})
keyForm.hidden = key !== ''

// Requests

/** Returns a request as the student has typed it. Throws an error whose message is for the student. */
function readRequest(text) {
  const lines = text.trim().split('\n')
  const end = lines.findIndex(line => line.trim() === '')
  const [first, ...fields] = end < 0 ? lines : lines.slice(0, end)
  const body = end < 0 ? '' : lines.slice(end).join('\n').trim()
  const [, method, target] = /^([A-Za-z]+) +(\S+)(?: +HTTP\/\S+)?\s*$/.exec(first) ?? []
  if (method === undefined) throw new Error('The first line must be a method and a path, such as GET /pets.')
  const headers = fields.map(line => {
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+):(.*)$/.exec(line) ?? []
    if (name === undefined)
      throw new Error(
        `"${line}" is no header such as Accept: text/html. A body needs a blank line before it.`,
      )
    return [name, value.trim()]
  })
  const has = name => headers.some(([known]) => known.toLowerCase() === name)
  if (!has('authorization') && key !== '') headers.unshift(['Authorization', `Bearer ${key}`])
  if (!has('content-type') && body !== '') headers.push(['Content-Type', 'application/json'])
  return {
    ...{ method: method.toUpperCase(), url: addressOf(target), body },
    headers: headers.filter(([name, value]) => name.toLowerCase() !== 'authorization' || value !== 'none'),
  }
}

/** Returns the address that a path below the store, or `$CONTROL`, means. Throws an error for the student. */
function addressOf(target) {
  const path = target.startsWith('/') ? basePath + target : target.replace(/^\$CONTROL/, controlPath)
  const url = URL.canParse(path, location.href) ? new URL(path, location.href) : undefined
  // The key must not go to another server.
  if (url?.origin === location.origin && /^(\/|https?:)/.test(path)) return url.href
  throw new Error(`"${target}" is no path of your store, such as /pets.`)
}

/** Sends a request and returns its response as text, and a sentence about it. */
async function send({ method, url, headers, body }, signal) {
  let request
  try {
    const options = {
      ...{ method, headers, signal, cache: 'no-store' },
      redirect: 'manual',
      credentials: 'omit',
    }
    request = new Request(url, { ...options, ...(body !== '' && { body }) })
  } catch (error) {
    return { status: `The browser cannot send this request: ${error.message}`, text: '' }
  }
  const fromMs = performance.now()
  try {
    const response = await fetch(request)
    // The key stays: a failure on demand refuses keys that work.
    if (response.status === 401 && headers.some(([, value]) => value === `Bearer ${key}`))
      askForKey('The store refused your key. If you have another one, type it here.')
    const { start, isCut } = await startOf(response)
    const ms = Math.round(performance.now() - fromMs)
    const note = isCut ? ` The page shows only the start of the body.` : ''
    const fields = [...response.headers].map(([name, value]) => `${name}: ${value}`)
    return {
      status: `Status ${response.status} ${response.statusText}, after ${ms} ms.${note}`,
      text: [`HTTP ${response.status} ${response.statusText}`, ...fields, '', start].join('\n'),
    }
  } catch {
    if (signal.aborted) return undefined
    const text = 'No response: the connection was lost, or the host cannot be reached.'
    return { status: `${text} Nobody knows whether the store has done it.`, text: '' }
  }
}

async function startOf(response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  const untilMs = performance.now() + READ_MS_MAX
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  let start = ''
  for (;;) {
    const late = new Promise(resolve => isStream && setTimeout(resolve, untilMs - performance.now()))
    const part = await Promise.race([reader?.read() ?? { done: true }, late])
    if (part?.done) return { start, isCut: false }
    start += part?.value ?? ''
    if (part && start.length <= SHOWN_CHARS_MAX) continue
    reader.cancel()
    return { start: start.slice(0, SHOWN_CHARS_MAX), isCut: true }
  }
}

// The code of a request

/** The languages, each with a function that returns a request as code. */
const languages = {
  curl: ({ method, url, headers, body }) => {
    const quoted = text => `'${text.replaceAll("'", "'\\''")}'`
    // With a body, curl sends POST unless it is told otherwise.
    const how = { GET: body === '' ? '' : ' -X GET', HEAD: ' -I' }[method] ?? ` -X ${method}`
    return [
      `curl -i${how} ${quoted(url)}`,
      ...headers.map(field => `-H ${quoted(field.join(': '))}`),
      ...(body === '' ? [] : [`--data-raw ${quoted(body)}`]),
    ].join(' \\\n  ')
  },
  JavaScript: ({ method, url, headers, body }) => `const response = await fetch(${JSON.stringify(url)}, {
  method: ${JSON.stringify(method)},
  headers: ${JSON.stringify(Object.fromEntries(headers), null, 4).replace(/\n?\}$/, '\n  }')},${
    body === '' ? '' : `\n  body: ${JSON.stringify(body)},`
  }
})
console.log(response.status, await response.text())`,
  // Every string of JSON is one of Python.
  Python: ({ method, url, headers, body }) => `import urllib.error, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(url)},
    method=${JSON.stringify(method)},
    headers=${JSON.stringify(Object.fromEntries(headers))},${
      body === '' ? '' : `\n    data=${JSON.stringify(body)}.encode(),`
    }
)
try:
    response = urllib.request.urlopen(request)
except urllib.error.HTTPError as error:
    response = error
print(response.status, response.read().decode())`,
}

// The forms

function element(tag, members = {}, ...children) {
  const made = Object.assign(document.createElement(tag), members)
  made.append(...children)
  return made
}

/** Returns the codes of a request, and a function that shows them. `read` returns the request. */
function codesOf(read, number) {
  const codes = element('details', {}, element('summary', { textContent: 'Code of the request' }))
  const blocks = Object.entries(languages).map(([language, codeOf]) => {
    const ariaLabel = `${language} of request ${number}`
    const block = element('pre', { tabIndex: 0, role: 'region', ariaLabel })
    codes.append(element('p', { textContent: language }), block)
    addCopyButton(block, `the ${ariaLabel}`)
    return { block, codeOf }
  })
  const show = () => {
    for (const { block, codeOf } of blocks)
      try {
        block.textContent = codeOf(read())
      } catch (error) {
        block.textContent = error.message
      }
  }
  show()
  keyForm.addEventListener('submit', show)
  return { codes, show }
}

/** Returns the places of a response, and a function that sends a request and shows what comes. */
function responseOf(read, number) {
  const status = element('p', { role: 'status' })
  const ariaLabel = `Response ${number}`
  const response = element('pre', { tabIndex: 0, role: 'region', ariaLabel, hidden: true })
  let sending = new AbortController()
  const sendNow = async () => {
    sending.abort()
    sending = new AbortController()
    const { signal } = sending
    status.textContent = 'Sending …'
    response.hidden = true
    const mistake = ({ message }) => ({ status: message, text: '' })
    const result = await Promise.resolve()
      .then(() => send(read(), signal))
      .catch(mistake)
    // Another sending has begun.
    if (result === undefined) return
    status.textContent = result.status
    response.textContent = result.text
    response.hidden = result.text === ''
    if (typeof refresh === 'function') refresh()
  }
  return { status, response, sendNow }
}

/** Returns what the student has typed in place of requests of the lesson, in any tab, by the name of the request. */
function typedTexts() {
  return new Map(Object.entries(JSON.parse(stored(localStorage, textsName) ?? '{}')))
}

/** Returns the form of a request. `text` is that of the lesson, and `name` is unique among the texts. */
function requestForm(text, name, number) {
  const area = element('textarea', {
    ...{ value: typedTexts().get(name) ?? text, rows: text.split('\n').length + 1, id: `request-${number}` },
    ...{ spellcheck: false, autocapitalize: 'off', autocomplete: 'off' },
  })
  const read = () => readRequest(area.value)
  const { codes, show } = codesOf(read, number)
  const { status, response, sendNow } = responseOf(read, number)
  const button = element('button', { textContent: 'Send', ariaLabel: `Send request ${number}` })
  const back = element('button', { type: 'button', textContent: 'As in the lesson' })
  const keep = () => {
    back.hidden = area.value === text
    const typed = typedTexts()
    if (back.hidden) typed.delete(name)
    else typed.set(name, area.value)
    store(localStorage, textsName, JSON.stringify(Object.fromEntries(typed)))
    show()
  }
  area.addEventListener('input', keep)
  area.addEventListener('keydown', event => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) sendNow()
  })
  back.addEventListener('click', () => {
    area.value = text
    keep()
    area.focus()
  })
  back.hidden = area.value === text
  const label = element('label', { htmlFor: area.id, textContent: `Request ${number}` })
  const buttons = element('div', { className: 'buttons' }, button, back)
  const form = element('form', { className: 'request' }, label, area, buttons, status, response, codes)
  form.addEventListener('submit', event => {
    event.preventDefault()
    sendNow()
  })
  return form
}

const counts = new Map()
for (const [index, block] of document.querySelectorAll('pre.http').entries()) {
  const text = block.textContent.trim()
  const count = (counts.get(text) ?? 0) + 1
  counts.set(text, count)
  block.replaceWith(requestForm(text, `${count} ${text}`, index + 1))
}
