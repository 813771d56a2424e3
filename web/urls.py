"""Every address of the site."""

from django.contrib import admin
from django.contrib.auth import views as auth_views
from django.urls import include, path

from fartbench.entrance import Login
from operations import views

handler500 = "operations.views.failed"

urlpatterns = [
    path("healthz", views.healthz, name="healthz"),
    path("readyz", views.readyz, name="readyz"),
    path("metrics", views.metrics, name="metrics"),
    path("login/", Login.as_view(), name="login"),
    path("logout/", auth_views.LogoutView.as_view(), name="logout"),
    path("", include("review.urls")),
    path("", include("web.generation.urls")),
    path("", include("web.views.urls")),
    path("", include("web.outside.urls")),
    path("", include("api.urls")),
    path("admin/", admin.site.urls),
]
