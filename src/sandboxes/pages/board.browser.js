// The script of the board of a class. The host serves this file unchanged.

import { byId, hostPath, receive, send } from './host.js'

const REFRESH_MS = 1500
/** How long a refresh waits for the host, before the page says that it does not respond. */
const RESPONSE_MS_MAX = 10_000
const IDLE_MS = 5 * 60_000
const classId = location.pathname.split('/').at(-1)
const classPath = `/classes/${classId}`
const storageName = `petstore-teacher ${classId}`
let key = firstKey()
/** The class as the host last returned it. */
let board
/** What the last button did, which is shown until the next one. */
let doneText = ''
/** The rows by the id of the sandbox, each with the text that it was made from. */
const rows = new Map()

// The key

/** Returns the key in the address, which a projector would show, or the one that this tab has kept. */
function firstKey() {
  const given = new URLSearchParams(location.hash.slice(1)).get('key')
  if (given !== null) history.replaceState(null, '', location.pathname)
  try {
    if (given !== null) sessionStorage.setItem(storageName, given)
    return given ?? sessionStorage.getItem(storageName) ?? ''
  } catch {
    return given ?? ''
  }
}

function askForKey(text) {
  byId('board').hidden = true
  byId('key-form').hidden = false
  if (text !== '') say(text)
}

byId('key-form').addEventListener('submit', event => {
  event.preventDefault()
  key = byId('key').value.replaceAll(/\s/g, '')
  try {
    sessionStorage.setItem(storageName, key)
  } catch {
    // Without storage, a reload asks again.
  }
  refresh()
})

// Requests

/** How many refreshes have begun, and which of them the page shows. */
let begun = 0
let shown = 0

async function refresh() {
  if (key === '') return askForKey(doneText)
  const sentKey = key
  const number = ++begun
  const signal = AbortSignal.timeout(RESPONSE_MS_MAX)
  const { read, error } = await send('GET', classPath, { key, signal }).then(
    read => ({ read }),
    error => ({ error }),
  )
  // A late response has an older state, or is about another key.
  if (number < shown || sentKey !== key) return
  shown = number
  if (error) return showFailure(error)
  board = read
  say(doneText)
  byId('key-form').hidden = true
  byId('board').hidden = false
  show()
}

function showFailure({ status, message }) {
  if (status !== 401 && status !== 404) return say('The host does not respond: this is the last known state.')
  // A wrong key is not sent again and again: the host limits them.
  key = ''
  doneText = ''
  askForKey(message)
}

let isPolling = false

/** Refreshes the board, unless the last one still waits for the host. */
async function poll() {
  if (isPolling) return
  isPolling = true
  await refresh().finally(() => {
    isPolling = false
  })
}

/** Shows a text. A screen reader reads it out again if it is replaced, even by an equal one. */
function say(text) {
  if (byId('status').textContent !== text) byId('status').textContent = text
}

/** Runs what a button does, and shows how it ended. */
async function act(text, work) {
  byId('error').hidden = true
  doneText = ''
  try {
    await work()
    doneText = text
    await refresh()
  } catch (error) {
    byId('error').textContent = error.message
    byId('error').hidden = false
  }
}

// The table

function show() {
  const { name, exercises } = board
  const isProjector = byId('projector').checked
  // The order of the names would show who is who.
  const students = isProjector
    ? board.students.toSorted((one, other) => (one.sandboxId < other.sandboxId ? -1 : 1))
    : board.students
  byId('title').textContent = name
  document.title = `${name} - Petstore`
  const done = exercises.map(
    (_, index) => students.filter(({ exercises }) => exercises[index].state === 'done').length,
  )
  showHead(exercises, done, students.length)
  const visible = new Set(students.filter(isShown).map(({ sandboxId }) => sandboxId))
  const total = done.reduce((sum, count) => sum + count, 0)
  const joined = students.filter(({ takenAt }) => takenAt !== undefined).length
  byId('summary').textContent =
    `${visible.size} of ${students.length} students. Exercises done: ${total} of ${exercises.length * students.length}. ` +
    `Joined, or used their key: ${joined}. Places: ${board.places}. ` +
    `The class ends on ${new Date(board.endsAt).toLocaleDateString()}.`
  const current = students.map((student, index) => {
    const text = JSON.stringify([student, isProjector, index, agoText(student.lastActivityAt)])
    const known = rows.get(student.sandboxId)
    // A row that did not change keeps its element, so that 200 students stay smooth and a button keeps its focus.
    const row = known?.text === text ? known : { text, element: studentRow(student, index, isProjector) }
    row.element.hidden = !visible.has(student.sandboxId)
    if (known && known !== row) known.element.replaceWith(row.element)
    rows.set(student.sandboxId, row)
    return row.element
  })
  const place = byId('rows')
  if (
    current.some((element, index) => place.children[index] !== element) ||
    place.children.length !== current.length
  )
    place.replaceChildren(...current)
}

function isShown({ name, identifier, lastError, lastActivityAt }) {
  const wanted = byId('filter').value.trim().toLowerCase()
  const which = byId('which').value
  const isIdle = lastActivityAt === undefined || Date.now() - Date.parse(lastActivityAt) > IDLE_MS
  if (which === 'stuck' && lastError === undefined) return false
  if (which === 'idle' && !isIdle) return false
  return `${name} ${identifier}`.toLowerCase().includes(wanted)
}

let headText = ''

function showHead(exercises, done, count) {
  const text = JSON.stringify([exercises, done, count, byId('projector').checked])
  if (text === headText) return
  headText = text
  byId('head').replaceChildren(
    cell('th', 'Student'),
    ...exercises.map((exercise, index) => exerciseHead(exercise, `${done[index]} of ${count}`)),
    ...(byId('projector').checked
      ? []
      : [
          cell('th', 'Last error'),
          cell('th', 'Last request'),
          cell('th', 'Requests a minute'),
          cell('th', 'Actions'),
        ]),
  )
}

function exerciseHead({ id, title, hasHint, isHintOpen }, text) {
  const head = cell('th', title)
  const count = document.createElement('span')
  count.className = 'count'
  count.textContent = text
  head.append(count)
  if (!hasHint || byId('projector').checked) return head
  head.append(
    button(isHintOpen ? 'Hint is open' : 'Open hint', `the hint of ${title}`, () =>
      act(isHintOpen ? 'The hint is closed.' : 'The hint is open for everybody.', () =>
        changeHint(id, !isHintOpen),
      ),
    ),
  )
  return head
}

let lastChange = Promise.resolve()

/** Opens or closes a hint, after the change before. All open hints are sent, so those of another tab are read first. */
function changeHint(id, isOpen) {
  const change = async () => {
    const signal = AbortSignal.timeout(RESPONSE_MS_MAX)
    const { exercises } = await send('GET', classPath, { key, signal })
    const others = exercises.filter(other => other.isHintOpen && other.id !== id).map(other => other.id)
    await send('PATCH', classPath, { key, signal, body: { openHints: isOpen ? [...others, id] : others } })
  }
  lastChange = lastChange.then(change, change)
  return lastChange
}

function studentRow(student, index, isProjector) {
  const { name, identifier, takenAt, exercises, lastError = '', lastActivityAt, requestsPerMinute } = student
  const row = document.createElement('tr')
  const shownName = isProjector ? `Student ${index + 1}` : name
  const head = cell('th', shownName)
  head.scope = 'row'
  if (!isProjector && identifier !== name) {
    const small = document.createElement('small')
    small.textContent = identifier
    head.append(small)
  }
  row.append(head, ...exercises.map(exerciseCell))
  if (isProjector) return row
  row.append(
    cell('td', lastError, 'error-text'),
    cell('td', takenAt === undefined ? 'not yet' : agoText(lastActivityAt), 'ago'),
    cell('td', String(requestsPerMinute)),
    actionsCell(student),
  )
  return row
}

function exerciseCell({ state, met, of, tries, doneAt }) {
  if (state === 'open') return cell('td', '', 'open')
  const text = state === 'done' ? '✓ done' : `${met} of ${of}`
  const found = cell('td', text, state)
  found.title = `${tries} requests${doneAt === undefined ? '' : `, done ${new Date(doneAt).toLocaleString()}`}`
  return found
}

/** Returns the name of a student, with what tells it from an equal one. */
function fullName({ name, identifier }) {
  return identifier === name ? name : `${name} (${identifier})`
}

function actionsCell(student) {
  const { sandboxId } = student
  const name = fullName(student)
  const actions = cell('td', '', 'row-actions')
  const ask = text => window.confirm(text)
  actions.append(
    button('Reset', `the store of ${name}`, () => {
      if (
        ask(
          `Reset the store of ${name}? Its pets and orders are lost; what ${name} has done stays on the board.`,
        )
      )
        act(`The store of ${name} was reset.`, () => send('POST', `/sandboxes/${sandboxId}/reset`, { key }))
    }),
    button('New key', `for ${name}`, () => {
      if (ask(`Give ${name} a new key? The old one, and all keys made in the store, stop working.`))
        act('', () => replaceKey(student))
    }),
    button('Console', `of ${name}`, () =>
      // No link: a projector would show its address, which has the key.
      window.open(`${hostPath}/s/${sandboxId}/console#key=${encodeURIComponent(key)}`, '_blank', 'noopener'),
    ),
    button('Remove', `${name} from the class`, () => {
      if (
        ask(
          `Remove ${name}? The store and all results of ${name} are deleted; the name and the place are free.`,
        )
      )
        act(`${name} was removed.`, () => send('DELETE', `${classPath}/students/${sandboxId}`, { key }))
    }),
    button('Archive', `the store and requests of ${name}`, () =>
      act('', async () => {
        const response = await receive('GET', `/sandboxes/${sandboxId}/archive`, { key })
        save(await response.blob(), `${name}.tar.gz`)
      }),
    ),
  )
  return actions
}

async function replaceKey(student) {
  const { sandboxId, name, identifier } = student
  const { adminKey, baseUrl } = await send('POST', `/sandboxes/${sandboxId}/key`, { key })
  // A key is shown once: the one of another student stays until the teacher closes it.
  while (byId('dialog').open)
    await new Promise(resolve => byId('dialog').addEventListener('close', resolve, { once: true }))
  byId('dialog-title').textContent = `The new key of ${fullName(student)}`
  byId('dialog-text').textContent =
    `The address is still ${baseUrl}. The key is shown only now: the list of "petstore class create" has the old one.`
  byId('dialog-key').textContent = adminKey
  const given = new URLSearchParams({ key: adminKey, ...(identifier !== name && { identifier }) })
  byId('dialog-card').href = `${hostPath}/sandboxes/${sandboxId}/print#${given}`
  byId('dialog').showModal()
}

function cell(tag, text, className = '') {
  const element = document.createElement(tag)
  element.textContent = text
  element.className = className
  if (tag === 'th') element.scope = 'col'
  return element
}

function button(text, about, onClick) {
  const element = document.createElement('button')
  element.type = 'button'
  element.textContent = text
  element.setAttribute('aria-label', `${text}: ${about}`)
  element.addEventListener('click', onClick)
  return element
}

function agoText(instant) {
  if (instant === undefined) return 'never'
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(instant)) / 1000))
  if (seconds < 60) return 'now'
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`
  return new Date(instant).toLocaleString()
}

// The link for students

/** The link as this page opened it. The host does not know its code any more. */
let invitation

function showInvitation() {
  const { invitationOpenedAt: openedAt } = board
  const isKnown = openedAt !== undefined && invitation?.openedAt === openedAt
  byId('invite-text').textContent =
    openedAt === undefined
      ? 'There is no open link.'
      : `Whoever has the link can take a free name, since ${new Date(openedAt).toLocaleString()}. ` +
        (isKnown ? 'Close it when all have joined.' : 'It was shown when it was opened. A new link ends it.')
  byId('invite-qr').hidden = !isKnown
  byId('invite-qr').src = isKnown ? invitation.qrCode : ''
  byId('invite-link').textContent = isKnown ? invitation.link : ''
  byId('close-invitation').hidden = openedAt === undefined
}

/** Changes the link, and shows how it is then. */
async function changeInvitation(method) {
  await act('', async () => {
    invitation = await send(method, `${classPath}/invitation`, { key })
  })
  showInvitation()
  // The dialog covers the error of the page.
  if (!byId('error').hidden) byId('invite-dialog').close()
}

byId('invite').addEventListener('click', () => {
  showInvitation()
  byId('invite-dialog').showModal()
})
byId('open-invitation').addEventListener('click', () => changeInvitation('POST'))
byId('close-invitation').addEventListener('click', () => changeInvitation('DELETE'))

// Results and deletion

function save(blob, name) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 1000)
}

byId('results').addEventListener('click', () => {
  const quoted = text => `"${text.replace(/^['=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"`
  const lines = board.students.flatMap(({ name, identifier, exercises }) =>
    exercises.map(({ state, doneAt = '', tries }, index) =>
      [name, identifier, board.exercises[index].title, state, doneAt, String(tries)].map(quoted).join(','),
    ),
  )
  const text = ['student,identifier,exercise,state,when,tries', ...lines, ''].join('\n')
  // Without the byte order mark, Excel reads the letters of names as those of another encoding.
  save(new Blob(['\ufeff', text], { type: 'text/csv' }), `${board.name}.csv`)
})
byId('delete').addEventListener('click', () => {
  if (!window.confirm('Delete the class with all its stores and results? This cannot be undone.')) return
  act('The class was deleted.', async () => {
    await send('DELETE', classPath, { key })
    key = ''
    sessionStorage.removeItem(storageName)
  })
})
for (const id of ['filter', 'which', 'projector']) byId(id).addEventListener('input', () => board && show())
poll()
setInterval(() => document.hidden || poll(), REFRESH_MS)
