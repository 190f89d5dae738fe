/** Organisation types of schema.org that no suffix rule covers, in lower case. */
const ORGANIZATIONS = new Set(
  (
    'organization organisation airline consortium cooperative corporation company collegeoruniversity elementaryschool highschool ' +
    'middleschool preschool school fundingscheme librarysystem localbusiness fundingagency hospital dentist physician ' +
    'physicianoffice optician pharmacy veterinarycare dancegroup musicgroup theatergroup ngo onlinebusiness onlinestore ' +
    'politicalparty project researchproject searchrescueorganization sportsteam animalshelter archiveorganization autobodyshop ' +
    'autodealer autopartsstore autorental autorepair autowash gasstation motorcycledealer motorcyclerepair childcare ' +
    'dryingcleaningorlaundry drycleaningorlaundry employmentagency adultentertainment amusementpark artgallery casino comedyclub ' +
    'movietheater nightclub bank automatedteller creditunion insuranceagency bakery barorpub brewery cafeorcoffeeshop ' +
    'distillery fastfoodrestaurant icecreamshop restaurant winery postoffice beautysalon dayspa hairsalon healthclub ' +
    'nailsalon tattooparlor electrician generalcontractor hvacbusiness housepainter locksmith movingcompany plumber ' +
    'roofingcontractor internetcafe attorney notary library bedandbreakfast campground hostel hotel motel resort skiresort ' +
    'vacationrental communityhealth dermatology dietnutrition emergency geriatric gynecologic medicalclinic covidtestingfacility ' +
    'midwifery nursing obstetric oncologic optometric otolaryngologic pediatric physiotherapy plasticsurgery podiatric ' +
    'primarycare psychiatric publichealth recyclingcenter radiostation realestateagent selfstorage shoppingcenter ' +
    'bowlingalley exercisegym golfcourse publicswimmingpool sportsclub stadiumorarena tenniscomplex bikestore florist ' +
    'pawnshop touristinformationcenter travelagency televisionstation governmentoffice diagnosticlab medicalspa ' +
    'individualphysician newsmediaorganization workersunion ' +
    'foodestablishment bankorcreditunion firestation policestation museum church placeofworship buddhisttemple catholicchurch hindutemple mosque ' +
    'synagogue zoo aquarium rvpark eventvenue musicvenue performingartstheater communitycenter crematorium cemetery ' +
    'governmentbuilding cityhall courthouse defenceestablishment embassy legislativebuilding educationalorganization ' +
    'lodgingbusiness medicalbusiness medicalorganization legalservice financialservice accountingservice homeandconstructionbusiness ' +
    'entertainmentbusiness automotivebusiness emergencyservice sportsactivitylocation healthandbeautybusiness realestateagency ' +
    'touristattraction nursinghome'
  ).split(' '),
);
const ORGANIZATION_ENDING =
  /(?:business|organi[sz]ation|store|service|shop|restaurant|agency|company|school|clinic|office|group|dealer|contractor|salon|team)$/;
/** Types of offers, not of those who make them. */
const NO_ORGANIZATIONS = new Set([
  'service',
  'governmentservice',
  'broadcastservice',
  'radiobroadcastservice',
  'cableorsatelliteservice',
  'taxiservice',
  'foodservice',
  'webservice',
]);
/** From schema.org, FOAF, vCard and Data Vocabulary. */
const PEOPLE = new Set([
  'person',
  'patient',
  'individual',
  'hcard',
  'vcard',
  'individualphysician',
]);
/** Facts of organisations that are often a single person. */
const PERSONAL_FACTS = ['familyname', 'jobtitle', 'worksfor', 'hasoccupation'];
/** Posts by visitors: their authors are not contacts of the site. */
const VISITORS_POSTS = new Set([
  'review',
  'userreview',
  'comment',
  'usercomments',
  'question',
  'answer',
  'discussionforumposting',
]);
/** Properties that lead to people other than those of the page. */
const FOREIGN = new Set(
  (
    'review comment alumniof alumni knows spouse parent parents children sibling siblings relatedto follows itemreviewed manufacturer ' +
    'sponsor funder performer performers actor actors director directors competitor attendee attendees mentions citation ' +
    'acceptedanswer suggestedanswer byartist brand isbasedon recordedat award awards hasoffercatalog itemoffered ' +
    'interactionstatistic character'
  )
    .toLowerCase()
    .split(' '),
);
const WRITERS = new Set(['author', 'creator', 'contributor']);

/** The kind of a node, by its lower-case types; null when it is neither. */
export function kindOfTypes(
  types: readonly string[],
  properties: ReadonlyMap<string, unknown>,
): 'person' | 'organization' | null {
  if (types.some((type) => PEOPLE.has(type))) return 'person';
  if (!types.some(isOrganization)) return null;
  return PERSONAL_FACTS.some((fact) => properties.has(fact)) ? 'person' : 'organization';
}

function isOrganization(type: string): boolean {
  if (ORGANIZATIONS.has(type)) return true;
  return ORGANIZATION_ENDING.test(type) && !NO_ORGANIZATIONS.has(type);
}

/** Whether a property of a node leads to people who are not contacts of the page: visitors, models, makers. */
export function leadsAway(types: readonly string[], property: string): boolean {
  if (FOREIGN.has(property)) return true;
  return WRITERS.has(property) && types.some((type) => VISITORS_POSTS.has(type));
}
