// The script of the page at the root of the host. The host serves this file unchanged.

import { byId, Refusal, send } from './host.js'

const STORAGE_NAME = 'petstore-sandboxes'

/** The sandbox that the page shows. */
let shown
/** The id of the sandbox that was asked for last. */
let wantedId

// What this browser remembers

/** Returns the remembered sandboxes that have not expired, the newest first. */
function remembered() {
  try {
    const list = JSON.parse(localStorage.getItem(STORAGE_NAME) ?? '[]')
    return list.filter(({ expiresAt }) => Date.parse(expiresAt) > Date.now())
  } catch {
    return []
  }
}

/** Replaces the remembered sandboxes. Returns false if the browser stores nothing for this page. */
function remember(list) {
  try {
    localStorage.setItem(STORAGE_NAME, JSON.stringify(list))
    return true
  } catch {
    return false
  }
}

function forget(id) {
  remember(remembered().filter(sandbox => sandbox.id !== id))
  showRemembered()
}

// Messages

function showStatus(text) {
  byId('error').hidden = true
  byId('status').textContent = text
}

function showError(error) {
  byId('status').textContent = ''
  byId('error').textContent = errorText(error)
  byId('error').hidden = false
}

function errorText(error) {
  return error instanceof Refusal ? error.message : `The page failed: ${error.message}`
}

/** Shows a message next to a button of the sandbox, instead of any other message. */
function showMessageNear(button, text, isError = false) {
  showStatus('')
  clearMessages()
  const place = button.closest('[data-says]').querySelector('.message')
  place.classList.toggle('error', isError)
  place.textContent = text
}

/** Removes the messages next to the buttons of the sandbox. */
function clearMessages() {
  for (const place of byId('sandbox').querySelectorAll('[data-says] > .message')) {
    place.textContent = ''
    place.classList.remove('error')
  }
}

/**
 * Runs the action of a button, unless its previous action is still running. Errors become messages. `sandbox` is the one
 * that the action is about. The page may show another one when it ends.
 */
async function run(button, action, sandbox) {
  if (button.getAttribute('aria-disabled') === 'true') return
  button.setAttribute('aria-disabled', 'true')
  try {
    await action()
  } catch (error) {
    const isGone = error instanceof Refusal && error.status === 404
    if (isGone && sandbox) {
      forget(sandbox.id)
      if (shown?.id === sandbox.id) hide()
    }
    // A message in a part of the page that is hidden would not be seen.
    if (shown && shown.id === sandbox?.id && button.closest('[data-says]'))
      showMessageNear(button, errorText(error), true)
    else showError(error)
  } finally {
    button.removeAttribute('aria-disabled')
  }
}

// One sandbox

function timeText(instant) {
  const at = new Date(instant)
  const hours = Math.round((at.getTime() - Date.now()) / 3_600_000)
  const left = new Intl.RelativeTimeFormat('en').format(
    ...(hours < 1
      ? [Math.ceil((at.getTime() - Date.now()) / 60_000), 'minute']
      : hours < 48
        ? [hours, 'hour']
        : [Math.round(hours / 24), 'day']),
  )
  return `${left} (${at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' })})`
}

/** Returns the first calls to try, as texts and commands. The demo shop and the large shop have the pets 3 and 4. */
function firstCalls({ baseUrl, adminKey, seed }) {
  const isEmpty = seed === 'empty'
  const write = (path, body, ...headers) =>
    [
      `curl -X POST ${baseUrl}${path}`,
      `  -d '${body}'`,
      ...['Content-Type: application/json', `Authorization: Bearer ${adminKey}`, ...headers].map(
        header => `  -H '${header}'`,
      ),
    ].join(' \\\n')
  const secondOrder = ['/store/orders', `{"petId":${isEmpty ? 1 : 4}}`, 'Idempotency-Key: "second-order"']
  return [
    ['List pets. Reading pets needs no key.', `curl "${baseUrl}/pets?limit=3"`],
    ...(isEmpty
      ? [
          ['Add a category.', write('/categories', '{"name":"Otters"}')],
          ['Add a pet. It has one unit in stock.', write('/pets', '{"name":"Ottoline","categoryId":1}')],
          ['Add four units.', write('/store/inventory/1/adjustments', '{"quantityChange":4}')],
        ]
      : []),
    [
      'Place an order. Repeat the command: the response is the same, and there is still one order.',
      write('/store/orders', `{"petId":${isEmpty ? 1 : 3}}`, 'Idempotency-Key: "first-order"'),
    ],
    [
      'Place another order and lose the response: the store accepts the order, then closes the connection.',
      write(...secondOrder, 'Petstore-Fault: drop_after_commit'),
    ],
    [
      'Send that order again. It was stored the first time, so the response shows it, and no third order is placed.',
      write(...secondOrder),
    ],
  ]
}

function showCalls(sandbox) {
  const items = firstCalls(sandbox).map(([text, command], index) => {
    const item = byId('call').content.cloneNode(true)
    item.querySelector('p').textContent = text
    item.querySelector('code').textContent = command
    const button = item.querySelector('button')
    button.setAttribute('aria-label', `Copy command ${index + 1}`)
    button.addEventListener('click', () => copy(button, command))
    return item
  })
  byId('calls').replaceChildren(...items)
}

/** Shows a sandbox. `isStored` is whether the browser remembers it. */
function show(sandbox, isStored) {
  shown = sandbox
  wantedId = sandbox.id
  clearMessages()
  const { id, baseUrl, adminKey, label, expiresAt } = sandbox
  byId('sandbox-title').textContent = label ? `Your sandbox: ${label}` : 'Your sandbox'
  byId('address').textContent = baseUrl
  byId('key').textContent = adminKey
  byId('expiry').textContent = timeText(expiresAt)
  byId('remembers').textContent = isStored
    ? 'This browser remembers the sandbox and its key. The key is shown nowhere else.'
    : 'Copy the key now: this browser does not let the page remember it, and it is shown only once.'
  byId('console').href = `${baseUrl}/console#key=${adminKey}`
  byId('docs').href = `${baseUrl}/docs`
  byId('lesson').href = `${baseUrl}/docs/guide/lesson`
  byId('guide').href = `${baseUrl}/docs/guide/sandboxes`
  byId('openapi').href = `${baseUrl}/openapi.json`
  byId('print').href = `${byId('print').dataset.path}${id}/print#key=${adminKey}`
  showCalls(sandbox)
  byId('sandbox').hidden = false
  byId('sandbox-title').focus()
  byId('sandbox').scrollIntoView()
}

function hide() {
  shown = undefined
  byId('sandbox').hidden = true
}

function showRemembered() {
  const list = remembered()
  const items = list.map(sandbox => {
    const item = document.createElement('li')
    const button = document.createElement('button')
    button.type = 'button'
    for (const [name, text] of [
      ['name', sandbox.label || sandbox.id],
      ['time', `expires ${timeText(sandbox.expiresAt)}`],
    ]) {
      const part = document.createElement('span')
      part.className = name
      part.textContent = text
      button.append(part, ' ')
    }
    button.addEventListener('click', () => run(button, () => open(sandbox), sandbox))
    item.append(button)
    return item
  })
  byId('remembered-list').replaceChildren(...items)
  byId('remembered').hidden = list.length === 0
}

/** Shows a remembered sandbox, after the host has confirmed that it still exists. */
async function open(sandbox) {
  showStatus('')
  hide()
  wantedId = sandbox.id
  const current = await send('GET', `/sandboxes/${sandbox.id}`, { key: sandbox.adminKey })
  if (wantedId === sandbox.id) show({ ...current, adminKey: sandbox.adminKey }, true)
}

async function create(form) {
  const { seed, label, lifetime } = Object.fromEntries(new FormData(form))
  showStatus('The sandbox is being created.')
  const body = { seed, lifetimeSeconds: Number(lifetime), ...(label.trim() && { label: label.trim() }) }
  const sandbox = await send('POST', '/sandboxes', { body })
  const isStored = remember([sandbox, ...remembered()])
  showRemembered()
  showStatus('The sandbox was created.')
  show(sandbox, isStored)
}

async function reset({ id, adminKey }) {
  if (!confirm('Reset this sandbox to its initial content?')) return
  await send('POST', `/sandboxes/${id}/reset`, { key: adminKey })
  if (shown?.id === id)
    showMessageNear(byId('reset'), 'The sandbox was reset. Its address and its key are the same.')
}

async function remove({ id, adminKey }) {
  if (!confirm('Delete this sandbox and everything in it?')) return
  await send('DELETE', `/sandboxes/${id}`, { key: adminKey })
  forget(id)
  if (shown?.id !== id) return
  hide()
  showStatus('The sandbox was deleted.')
  byId('create').querySelector('button').focus()
}

// Copying

async function copy(button, text) {
  const isCopied = await copyText(text)
  showMessageNear(button, isCopied ? '' : 'The browser does not allow copying. Select the text, and copy it.')
  button.textContent = isCopied ? 'Copied' : 'Copy'
  setTimeout(() => {
    button.textContent = 'Copy'
  }, 2000)
}

/** Returns whether the text was copied. Without HTTPS, browsers have only the older `execCommand`. */
async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    const area = document.createElement('textarea')
    const focused = document.activeElement
    area.value = text
    document.body.append(area)
    area.select()
    const isCopied = document.execCommand('copy')
    area.remove()
    focused?.focus()
    return isCopied
  }
}

byId('create').addEventListener('submit', event => {
  event.preventDefault()
  run(event.submitter ?? byId('create').querySelector('button'), () => create(event.target))
})
for (const [id, action] of Object.entries({ reset, delete: remove }))
  byId(id).addEventListener('click', event => {
    const sandbox = shown
    run(event.currentTarget, () => action(sandbox), sandbox)
  })
for (const button of document.querySelectorAll('[data-copy]')) {
  button.addEventListener('click', () => copy(button, byId(button.dataset.copy).textContent))
}
remember(remembered())
showRemembered()
