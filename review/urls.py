"""Addresses of reviewers.

An id that is not a reviewer's own answers exactly like one that does not exist.
"""

from django.urls import path

from review import views

urlpatterns = [
    path("i/<str:token>/", views.invite, name="invite"),
    path("return/", views.come_back, name="review-return"),
    path("review/", views.home, name="review-home"),
    path("review/way-back/", views.way_back, name="review-way-back"),
    path("review/rounds/<str:name>/", views.start, name="review-start"),
    path("review/rounds/<str:name>/sound", views.sound_check, name="review-sound"),
    path("review/rounds/<str:name>/tones", views.tones_file, name="review-tones"),
    path("review/rounds/<str:name>/training/<int:place>/", views.training, name="review-training"),
    path("review/rounds/<str:name>/done/", views.done, name="review-done"),
    path("review/pairs/<str:pair_id>/", views.pair, name="review-pair"),
    path("review/pairs/<str:pair_id>/draft", views.pair_draft, name="review-pair-draft"),
    path("review/pairs/<str:pair_id>/lock", views.pair_lock, name="review-pair-lock"),
    path(
        "review/pairs/<str:pair_id>/unplayable",
        views.pair_unplayable,
        name="review-pair-unplayable",
    ),
    path("review/<str:stimulus_id>/", views.sheet, name="review-sheet"),
    path("review/<str:stimulus_id>/draft", views.draft, name="review-draft"),
    path("review/<str:stimulus_id>/lock", views.lock, name="review-lock"),
    path("review/<str:stimulus_id>/unplayable", views.unplayable, name="review-unplayable"),
    path("review/<str:stimulus_id>/later", views.later, name="review-later"),
    path("review/<str:stimulus_id>/mistake", views.mistake, name="review-mistake"),
    path("media/<str:stimulus_id>", views.media, name="media"),
    path("media/training/<str:clip_id>", views.training_media, name="training-media"),
]
