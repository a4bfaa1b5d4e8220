import { expect, test } from 'bun:test'
import { LessonProblem } from './conditions.ts'
import { readLesson } from './lesson.ts'

const CHECK = '```check\nlistPets status=200\n```'

test('a lesson has an exercise for each section with a check, and students see none of its blocks for teachers', () => {
  const { title, exercises, studentText } = readLesson(`# HTTP

## Set up

Text.

## 1. Read *it*

${CHECK}

  ~~~~Hint
Look.
~~~~

\`\`\`sh
curl $BASE/pets
\`\`\`

\`\`\` solution
GET /pets
If-None-Match: {{etag}}

POST /store/orders

{"petId":3}
\`\`\`

\`\`\`answer
42
\`\`\`
`)
  expect([title, exercises.map(({ id }) => id)]).toEqual(['HTTP', ['1-read-it']])
  expect(exercises[0]).toMatchObject({
    hint: 'Look.',
    solution: [
      { method: 'GET', target: '/pets', headers: { 'if-none-match': '{{etag}}' }, body: '' },
      { method: 'POST', target: '/store/orders', headers: {}, body: '{"petId":3}\n' },
    ],
  })
  expect(studentText).toContain('curl $BASE/pets')
  for (const secret of ['status=200', 'Look', 'If-None-Match', '42', 'solution', 'check'])
    expect(studentText).not.toContain(secret)
})

test.each([
  ['# HTTP\n\n## 1. Read\n', 'no exercise'],
  [`${CHECK}\n`, 'below a heading'],
  ['## A\n\n```check\nlistPets\n', 'Line 3: the block has no end.'],
  [
    '## A\n\n> ```check\n> listPets\n> ```\n',
    'Line 3: a block for teachers must start at the start of its line.',
  ],
  [`## A\n\n- ${CHECK}\n`, 'Line 3: a block for teachers'],
  ['## A\n\n```check\n```\n', '1 to 30 lines'],
  [`## ${'x'.repeat(201)}\n\n${CHECK}\n`, 'more than 200 characters'],
  ['## A\n\n```check\nlistPets status=ok\n```\n', '"A", "listPets status=ok": status must be'],
  ['## A\n\n```check\nthen listPets\n```\n', 'the first line cannot begin with "then"'],
  [`## A\n\n${CHECK}\n\n## A\n\n${CHECK}\n`, 'Two exercises have the title "A".'],
  [`## A\n\n${CHECK}\n\n\`\`\`solution\npets\n\`\`\`\n`, 'a solution must begin with a request'],
])('a lesson with a mistake is refused: %j', (text, reason) => {
  expect(() => readLesson(text)).toThrow(LessonProblem)
  expect(() => readLesson(text)).toThrow(reason)
})
