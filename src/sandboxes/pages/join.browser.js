// The script of the page on which a student joins a class. It stores nothing. The host serves this file unchanged.

const byId = id => document.getElementById(id)
const hostPath = document.documentElement.dataset.basePath
const classId = location.pathname.split('/').at(-1)
const code = new URLSearchParams(location.hash.slice(1)).get('code') ?? ''
/** The students who can be chosen, in the order of the list. */
let students = []

/** Sends a request with the code. Throws an error whose message is for the student. */
async function send(method, body) {
  const options = { method, headers: { Authorization: `Bearer ${code}`, 'Content-Type': 'application/json' } }
  const response = await fetch(`${hostPath}/classes/${classId}/join`, {
    ...options,
    ...(body && { body: JSON.stringify(body) }),
  }).catch(() => undefined)
  if (!response) throw new Error('The host does not respond. Check your network, and load this page again.')
  const text = await response.text()
  if (response.ok) return JSON.parse(text)
  throw new Error(text.startsWith('{') ? JSON.parse(text).message : `Status ${response.status}.`)
}

function fullName({ name, identifier }) {
  return identifier === undefined ? name : `${name} (${identifier})`
}

async function showNames() {
  const invited = await send('GET')
  students = invited.students
  byId('title').textContent = `Join ${invited.name}`
  document.title = `Join ${invited.name} - Petstore`
  byId('names').replaceChildren(
    new Option('', ''),
    ...students.map((student, index) => new Option(fullName(student), index)),
  )
  byId('choice').hidden = students.length === 0
  byId('other').hidden = !invited.hasRoom
  byId('join').hidden = students.length === 0 && !invited.hasRoom
  if (byId('join').hidden) throw new Error('All names of this class are taken. Ask your teacher for a card.')
}

function showCard({ id, label, baseUrl, adminKey }) {
  const fragment = `#key=${encodeURIComponent(adminKey)}`
  byId('card-title').textContent = `The card of ${label}`
  byId('address').textContent = baseUrl
  byId('key').textContent = adminKey
  byId('print').href = `${hostPath}/sandboxes/${id}/print${fragment}`
  byId('lesson').href = `${baseUrl}/docs/guide/lesson${fragment}`
  byId('join').hidden = true
  byId('card').hidden = false
  byId('card-title').focus()
}

/** Runs a step, and shows why it failed. Returns whether it has not. */
async function attempt(step) {
  byId('error').hidden = true
  try {
    await step()
    return true
  } catch (error) {
    byId('error').textContent = error.message
    byId('error').hidden = false
    return false
  }
}

byId('join').addEventListener('submit', async event => {
  event.preventDefault()
  const typed = byId('typed').value.trim()
  const student = typed === '' ? students[byId('names').value] : { name: typed }
  if (!student || !window.confirm(`Are you ${fullName(student)}? A name can be taken only once.`)) return
  const button = event.submitter
  button.disabled = true
  const hasJoined = await attempt(async () => showCard(await send('POST', student)))
  button.disabled = false
  // Somebody else may have taken the name.
  if (!hasJoined) showNames().catch(() => {})
})
attempt(showNames)
