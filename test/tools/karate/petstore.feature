Feature: The counter

  Scenario: A pet is sold once
    * url karate.properties['base']
    * configure headers = { Authorization: '#("Bearer " + karate.properties["key"])' }
    Given path 'pets'
    And request { name: 'Nimbus', categoryId: 1 }
    When method post
    Then status 201
    And match response == { id: '#number', name: 'Nimbus', categoryId: 1, status: 'available' }
    * def petId = response.id
    Given path 'store', 'inventory', petId
    And request { quantity: 1 }
    When method put
    Then status 200
    Given path 'store', 'orders'
    And request { petId: '#(petId)', complete: true }
    When method post
    Then status 201
    And match response contains { quantity: 1, complete: true }
    When path 'store', 'orders'
    And request { petId: '#(petId)' }
    And method post
    Then status 409
    And match response.code == 'insufficient_stock'
